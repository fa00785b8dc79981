// What tools/paper/pdf.py does in the page before it is printed.
window.MathJax = {
  startup: { typeset: false },
  svg: { fontCache: "global" },
  options: { enableMenu: false, enableAssistiveMml: false, ignoreHtmlClass: "paper",
    processHtmlClass: "formula" },
};

const chapterOf = (element) => element.closest(".chapter")?.id ?? "contents";
const all = (selector) => [...document.querySelectorAll(selector)];

// Formulas and pictures as they will be printed; gives [chapter, what] of what cannot be.
async function complete() {
  await MathJax.startup.promise;
  await MathJax.typesetPromise();
  const failed = all('[data-mml-node="merror"]').map((error) => error.closest(".formula"));
  for (const formula of all(".formula")) {
    formula.setAttribute("role", "img");
    formula.setAttribute("aria-label", formula.dataset.tex);
  }
  await document.fonts.ready;
  const absent = [];
  await Promise.all([...document.images].map(
    (image) => image.decode().catch(() => absent.push(image))));
  const lost = all('a[href^="#"]').filter(
    (link) => !document.getElementById(decodeURIComponent(link.hash.slice(1))));
  return [
    ...failed.map((formula) => [chapterOf(formula),
      `MathJax cannot read this formula: ${formula.dataset.tex}`]),
    ...absent.map((image) => [chapterOf(image), `there is no picture ${image.src}`]),
    ...lost.map((link) => [chapterOf(link),
      `a link leads nowhere: ${link.innerText} ${link.hash}`]),
  ];
}

// Small blocks stay on one page.
function keepTogether(height) {
  for (const block of all(".cell, .cell_input, .cell_output, .solution, figure")) {
    const limit = block.matches(".cell_input") ? 2 * height : height;
    if (block.getBoundingClientRect().height < limit) block.classList.add("small");
  }
}

// What would be cut off: [chapter, element, where it ends, its height, what it says].
function tooLarge(width, height) {
  return all("pre, table, mjx-container, img, figure, code").flatMap((block) => {
    const box = block.getBoundingClientRect();
    const right = Math.max(box.right, box.left + block.scrollWidth);
    const whole = ["IMG", "MJX-CONTAINER"].includes(block.tagName);
    if (right <= width + 1 && box.left >= -1 && !(whole && box.height > height)) return [];
    const said = block.alt || block.closest(".formula")?.dataset.tex || block.innerText || "";
    return [[chapterOf(block), block.tagName.toLowerCase(), Math.round(right),
      Math.round(box.height), said.trim().slice(0, 70)]];
  });
}

function fillContents(numbers) {
  all(".contents .page").forEach((page, place) => { page.textContent = numbers[place]; });
}
