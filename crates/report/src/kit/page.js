for (const button of document.querySelectorAll("th button")) button.onclick = () => {
  const head = button.parentElement, body = head.closest("table").tBodies[0];
  const down = head.getAttribute("aria-sort") !== "descending", at = head.cellIndex;
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = row => row.cells[at].dataset.v ?? row.cells[at].textContent;
  const order = (a, b) => {
    const x = key(a), y = key(b), numbers = /^\d+$/;
    if (numbers.test(x) && numbers.test(y)) { const p = BigInt(x), q = BigInt(y); return p < q ? -1 : p > q ? 1 : 0; }
    return x.localeCompare(y);
  };
  body.append(...[...body.rows].sort((a, b) => down ? order(b, a) : order(a, b)));
};

// Rows and listings whose name or place holds the text stay.
const filter = document.getElementById("filter"), hits = document.getElementById("hits");
const rows = [...document.querySelectorAll(".list tbody tr")];
const listings = [...document.querySelectorAll("main > details")];
const words = one => one.cells
  ? [...one.cells].filter(cell => !cell.classList.contains("num")).map(cell => cell.textContent).join(" ")
  : one.querySelector("summary bdi").textContent;
const narrow = () => {
  const text = filter.value.trim().toLowerCase();
  const shown = all => {
    for (const one of all) one.hidden = !words(one).toLowerCase().includes(text);
    return all.filter(one => !one.hidden).length;
  };
  const [some, files] = [shown(rows), shown(listings)];
  hits.textContent = text && `${some} of ${rows.length} rows, ${files} of ${listings.length} listings`;
};
const clear = () => { filter.value = ""; narrow(); };
filter.addEventListener("input", narrow);
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") { clear(); filter.blur(); }
  if (event.key === "/" && event.target !== filter) { event.preventDefault(); filter.focus(); filter.select(); }
});

const show = () => {
  const line = location.hash && document.getElementById(location.hash.slice(1));
  const file = line && line.closest("details");
  if (file) { if (file.hidden) clear(); file.open = true; line.scrollIntoView({ block: "center" }); }
};
addEventListener("hashchange", show); show();
