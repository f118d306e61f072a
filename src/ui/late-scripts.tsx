import { InlineScript } from "./inline-script.tsx";

/** How long the styles of a page take at most on a line that is not slow, in ms. */
const QUICK = 100;

/** How long a page that is painted takes at most, once it has its styles, in ms; one that nobody looks at never is. */
const PAINTED = 1000;

/** Before the styles, or it would wait for them. They are the first that a page loads; how long they took is known when they are there. */
const begin = `window.scriptsBegin=new Promise(function(begin){
new PerformanceObserver(function(list){list.getEntriesByName("first-contentful-paint")[0]&&begin()}).observe({type:"paint",buffered:true});
setTimeout(function(){performance.getEntriesByType("resource").some(function(styles){return styles.duration<${QUICK}})||begin()},${QUICK});
setTimeout(begin,${PAINTED})
}).then(function(){document.querySelectorAll("link[rel=late]").forEach(function(link){link.rel="modulepreload"})})`;

/**
 * Lets the page's scripts be fetched once it has been painted, which needs none of them. On a line so slow that the styles are not there
 * in a moment they are fetched after that moment: they come behind the styles, and nothing is painted sooner by waiting longer.
 */
export function LateScripts() {
  return <InlineScript text={begin} />;
}

/** Puts off what React Router has written into a page to fetch its scripts and start them. The nonce is that of the page's own scripts. */
export function putOffScripts(page: string, nonce: string): string {
  const late = page.replaceAll('<link rel="modulepreload"', '<link rel="late" fetchpriority="low"');
  const [before = "", after] = late.split(`<script nonce="${nonce}" type="module" async="">`);
  if (after === undefined) return late;
  const end = after.indexOf("</script>");
  const start = `<script nonce="${nonce}" type="module">await window.scriptsBegin;${whenReached(after.slice(0, end))}`;
  return before + start + after.slice(end);
}

/** What a module imports is fetched before it runs, unless it asks for it itself. */
function whenReached(module: string): string {
  return module.replaceAll(/import (?:\* as (\w+) from )?("[^"]*");?/g, (_, name: string | undefined, file: string) =>
    name ? `const ${name}=await import(${file});` : `await import(${file});`,
  );
}
