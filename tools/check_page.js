// What is wrong with a page, as the browser sees it: check_site.py runs this in the page.
({ wide, highest }) => {
  const faults = [], page = document.documentElement;
  if (page.scrollWidth > wide) faults.push(`${page.scrollWidth} px wide`);
  if (page.scrollHeight > highest) faults.push(`${page.scrollHeight} px high`);
  if (!document.title.trim()) faults.push("no title");
  if (!page.lang) faults.push("no language");
  if (!document.querySelector("meta[name=description]")) faults.push("no description");
  if (document.querySelectorAll("h1").length != 1) faults.push("not one h1");
  for (const one of document.querySelectorAll("img")) if (!one.alt) faults.push(`no text for ${one.src}`);
  for (const one of document.querySelectorAll("article input, article select"))
    if (!one.labels.length && !one.ariaLabel) faults.push(`no label of ${one.name || one.type}`);
  const rgba = (text) => { const n = text.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (node) => { for (; node; node = node.parentElement) {
    const c = rgba(getComputedStyle(node).backgroundColor); if (c[3] == 1) return c; } return [255, 255, 255, 1]; };
  const seen = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let count = 0; walk.nextNode() && count < 4000; count++) {
    const node = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !node.checkVisibility({ opacityProperty: true })) continue;
    if (node.closest("svg, .skip-to-content, button")) continue;
    const style = getComputedStyle(node), key = style.color + node.className + node.tagName;
    if (seen.has(key)) continue;
    seen.add(key);
    const a = light(rgba(style.color).slice(0, 3)), b = light(ground(node).slice(0, 3));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && style.fontWeight >= 600);
    if (contrast < (large ? 3 : 4.5))
      faults.push(`contrast ${contrast.toFixed(2)} of "${walk.currentNode.data.trim().slice(0, 30)}" (${node.className || node.tagName})`);
  }
  return faults;
}
