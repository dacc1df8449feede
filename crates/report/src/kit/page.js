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
const show = () => {
  const line = location.hash && document.getElementById(location.hash.slice(1));
  const file = line && line.closest("details");
  if (file) { file.open = true; line.scrollIntoView({ block: "center" }); }
};
addEventListener("hashchange", show); show();
