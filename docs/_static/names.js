// The filter of the table of names: what a row has of the text, and its state.
document.addEventListener("DOMContentLoaded", function () {
  const table = document.querySelector("table.filtered");
  if (!table) return;
  const form = document.createElement("form");
  form.className = "filter";
  form.innerHTML =
    '<label>Filter <input type="search" placeholder="svd" autocomplete="off"></label>' +
    '<label>State <select><option value="">all</option><option value="here">here</option>' +
    '<option value="with a difference">with a difference</option><option value="not here">not here</option>' +
    '</select></label><output></output>';
  table.parentNode.before(form);
  const [text, state, count] = ["input", "select", "output"].map((one) => form.querySelector(one));
  const rows = [...table.tBodies[0].rows].map((row) => [row, row.textContent.toLowerCase(), row.cells[2].textContent.trim()]);
  function show() {
    const wanted = text.value.trim().toLowerCase();
    let shown = 0;
    for (const [row, words, told] of rows) {
      const fits = words.includes(wanted) && (state.value === "here" ? told === "here" : told.startsWith(state.value));
      row.hidden = !fits;
      shown += fits;
    }
    count.textContent = shown + " names";
  }
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  const asked = new URLSearchParams(location.search).get("q");
  if (asked) text.value = asked;
  show();
});
