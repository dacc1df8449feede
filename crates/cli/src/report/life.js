'use strict';
const way = document.getElementById('way');
const lines = document.getElementById('lines');
const search = document.getElementById('search');
const cards = [...document.querySelectorAll('.card')];
let key = null, found = [], at = -1;

function draw() {
  lines.replaceChildren();
  if (key === null) return;
  const box = way.getBoundingClientRect();
  lines.setAttribute('width', way.scrollWidth);
  lines.setAttribute('height', way.scrollHeight);
  const points = [];
  for (const column of document.querySelectorAll('section')) {
    const own = [...column.querySelectorAll('.card.on')];
    for (const card of own) {
      const r = card.getBoundingClientRect();
      const x = r.left - box.left + way.scrollLeft, y = r.top - box.top + r.height / 2;
      points.push([x, y], [x + r.width, y]);
    }
  }
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
  line.setAttribute('points', points.map(p => p.join(',')).join(' '));
  lines.append(line);
}

function choose(wanted) {
  key = key === wanted ? null : wanted;
  way.classList.toggle('chosen', key !== null);
  for (const card of cards) card.classList.toggle('on', key !== null && card.dataset.key === key);
  draw();
}

function look() {
  const text = search.value.toLowerCase();
  for (const card of cards) card.classList.remove('found');
  found = text ? cards.filter(card => card.textContent.toLowerCase().includes(text)) : [];
  document.getElementById('hits').textContent = text ? `${found.length} found` : '';
  at = -1;
}

function next(step) {
  if (!found.length) return;
  if (at >= 0) found[at].classList.remove('found');
  at = (at + step + found.length) % found.length;
  found[at].classList.add('found');
  found[at].scrollIntoView({block: 'center', inline: 'center'});
}

for (const card of cards) card.addEventListener('click', () => choose(card.dataset.key));
search.addEventListener('input', look);
search.addEventListener('keydown', event => {
  if (event.key === 'Enter') { event.preventDefault(); next(event.shiftKey ? -1 : 1); }
});
document.addEventListener('keydown', event => {
  if (event.target === search) { if (event.key === 'Escape') search.blur(); return; }
  if (event.key === '/') { event.preventDefault(); search.focus(); }
  if (event.key === 'n') { document.body.classList.toggle('noisy'); draw(); }
  if (event.key === 'Escape' && key !== null) choose(key);
});
window.addEventListener('resize', draw);
