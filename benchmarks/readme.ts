import { CONNECTIONS } from "./load/saturate.ts";
import type { Results } from "./measure.ts";
import { reportFigures } from "./report.ts";

/** `benchmarks/README.md`: what is measured, how to run it, and the figures. */
export const writeReadme = (results: Results) => `# Benchmarks

\`npm run bench\` measures the product as \`npm start\` runs it, with its invented programme and reviews, and writes this page and
\`results.json\`. It takes under four minutes, needs Linux, and wants the machine for itself.
\`npm run bench -- --quick\` takes about a minute, prints rough figures and writes nothing.

## What is measured

- **Starting**: from the command \`npm start\`, with everything installed and built, until the first page of the list has come whole;
  and from Ctrl-C until nothing of it runs any more. Medians.
- **First load**: every request of a Chromium that has never seen the site, with the size of each answer as served.
- **As many requests as it can answer**: ${CONNECTIONS} connections from one process, the server in another. _The limit_ is a bare
  \`node:http\` server in a third that sends the product's own answers, the same bytes, from memory. The two are loaded in
  turn, and the figures are medians of their rounds; compare the ratios, since a machine is never twice the same. Pages are
  asked for as browsers do, with brotli; the API without compression where nothing else is said. Searches are for any word of the
  programme, or for three random letters, none of them twice before all 17,576 have had their turn, so that most
  answers have to be made; other pages come round again and are kept. _CPU_ is what the serving process uses.
- **Half as many**: requests at a steady rate, half of what the product could answer just before, whether or not earlier ones
  have been answered; one that finds no free connection counts from when it was due. The limit's latency at the same rate is
  what the machine and measuring itself take.
- **Memory**: resident memory of the process that serves, two seconds after its start and after all the loads.

## Figures

${reportFigures(results)}
`;
