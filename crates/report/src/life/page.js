'use strict';
const way = document.getElementById('way');
const lines = document.getElementById('lines');
const search = document.getElementById('search');
const cards = [...document.querySelectorAll('.card')];
const chips = [...document.querySelectorAll('#chips button')];
let key = null, found = [], at = -1;

function path(points) {
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  line.setAttribute('d', points);
  lines.append(line);
}

// Along the cards of a column, and from its last one that is left to all with
// which the instruction begins in the next column.
function draw() {
  lines.replaceChildren();
  if (key === null) return;
  const box = way.getBoundingClientRect();
  // Its old size must not hold the frame wide.
  lines.setAttribute('width', 0);
  lines.setAttribute('height', 0);
  lines.setAttribute('width', way.scrollWidth);
  lines.setAttribute('height', way.scrollHeight);
  const place = card => {
    const r = card.getBoundingClientRect();
    const x = r.left - box.left + way.scrollLeft;
    return {left: x, right: x + r.width, y: r.top - box.top + r.height / 2};
  };
  let before = null;
  for (const column of document.querySelectorAll('section')) {
    const own = [...column.querySelectorAll('.card.on')];
    if (!own.length) continue;
    const places = own.map(place), first = places[0], last = places[places.length - 1];
    const x = first.left - 9;
    if (places.length > 1) path(`M${x} ${first.y}V${last.y}`);
    if (before || places.length > 1) for (const one of places) path(`M${x} ${one.y}H${one.left}`);
    if (before) {
      const middle = (before.right + x) / 2;
      path(`M${before.right} ${before.y}C${middle} ${before.y} ${middle} ${first.y} ${x} ${first.y}`);
    }
    const left = own.filter(card => !card.classList.contains('went'));
    before = place((left.length ? left : own).pop());
  }
}

function choose(wanted) {
  key = key === wanted ? null : wanted;
  way.classList.toggle('chosen', key !== null);
  for (const card of cards) card.classList.toggle('on', key !== null && card.dataset.key === key);
  for (const chip of chips) chip.setAttribute('aria-pressed', String(key !== null && chip.dataset.key === key));
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
  at = at < 0 && step < 0 ? found.length - 1 : (at + step + found.length) % found.length;
  found[at].classList.add('found');
  found[at].scrollIntoView({block: 'center', inline: 'center'});
  document.getElementById('hits').textContent = `${at + 1} of ${found.length}`;
}

for (const one of [...cards, ...chips])
  if (one.dataset.key !== '0') one.addEventListener('click', () => choose(one.dataset.key));
search.addEventListener('input', look);
search.addEventListener('keydown', event => {
  if (event.key === 'Enter') { event.preventDefault(); next(event.shiftKey ? -1 : 1); }
});
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === search) {
    // What was found can be followed with Enter then.
    if (event.key === 'Escape') { search.blur(); if (at >= 0) found[at].focus(); }
    return;
  }
  if (event.key === '/') { event.preventDefault(); search.focus(); search.select(); }
  if (event.key === 'n') { document.body.classList.toggle('noisy'); draw(); }
  if (event.key === 'Escape' && key !== null) choose(key);
});
window.addEventListener('resize', draw);
if (chips.length === 1) choose(chips[0].dataset.key);
