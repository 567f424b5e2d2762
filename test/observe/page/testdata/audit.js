// Returns the faults of the page that can be computed: text with a contrast below that of WCAG 2.2
// AA, and parts that are wider than the window.
(() => {
  const faults = [];
  const parse = (color) => {
    const n = color.match(/[\d.]+/g).map(Number);
    return { r: n[0], g: n[1], b: n[2], a: n.length > 3 ? n[3] : 1 };
  };
  const over = (top, under) => {
    const mix = (x, y) => x * top.a + y * (1 - top.a);
    return { r: mix(top.r, under.r), g: mix(top.g, under.g), b: mix(top.b, under.b), a: 1 };
  };
  const ground = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color.a > 0) layers.push(color);
      if (color.a === 1) break;
    }
    return layers.reduceRight((under, top) => over(top, under), { r: 255, g: 255, b: 255, a: 1 });
  };
  const luminance = ({ r, g, b }) => {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const check = (element, style, what) => {
    const under = ground(element);
    const [a, b] = [luminance(over(parse(style.color), under)), luminance(under)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faults.push(`the contrast of ${JSON.stringify(what)} is ${ratio.toFixed(2)}: ${style.color} on ${JSON.stringify(under)}`);
  };
  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const element = walker.currentNode.parentElement;
    if (!text || ["SCRIPT", "NOSCRIPT", "title"].includes(element.nodeName) || !element.checkVisibility({ visibilityProperty: true })) continue;
    texts++;
    check(element, getComputedStyle(element), text.slice(0, 40));
  }
  if (texts < 5) faults.push(`only ${texts} texts were looked at`);
  for (const input of document.querySelectorAll("input[placeholder]")) check(input, getComputedStyle(input, "::placeholder"), input.placeholder);
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) faults.push(`the page is ${wide} pixels wide in a window of ${innerWidth}`);
  const scrolls = (e) => e && (["auto", "scroll"].includes(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  const drawn = [...document.querySelectorAll("body *")].filter((e) => !e.closest("svg") && !e.closest(".hidden") && e.checkVisibility());
  for (const e of drawn) {
    const box = e.getBoundingClientRect();
    if ((box.right > innerWidth + 0.5 || box.left < -0.5) && box.width > 0 && !scrolls(e.parentElement) && faults.length < 10) {
      faults.push(`cut off at ${box.right} of ${innerWidth}: ${e.outerHTML.slice(0, 150)}`);
    }
  }
  return faults;
})();
