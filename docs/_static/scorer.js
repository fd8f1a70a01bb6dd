// How search results are ordered: the name that was asked for comes first, the plain function
// before methods and before names of deeper modules; pages of prose come after names.
var Scorer = {
  score: function (result) {
    const [page, title, anchor, , score] = result;
    const query = (new URLSearchParams(location.search).get("q") || "").trim().toLowerCase();
    const name = (anchor || "").replace(/^#/, "") || title;
    const parts = name.toLowerCase().replace(/ \(.*/, "").split(".");
    let found = score;
    if (page.startsWith("reference/names/")) {
      if (parts[parts.length - 1] === query || parts.join(".") === query) found += 100 - 8 * parts.length;
      else if (parts.join(".").endsWith("." + query)) found += 80 - 8 * parts.length;
      if (/\.(ndarray|Generator|RandomState|[a-z]+_(matrix|array))\./.test(name)) found -= 4;
    } else if (title.toLowerCase() === query) {
      found += 90;
    }
    return found;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
