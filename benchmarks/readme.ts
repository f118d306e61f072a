import { CONNECTIONS } from "./load/saturate.ts";
import type { Results } from "./measure.ts";
import { plotResults } from "./plots/plots.ts";
import { reportFigures } from "./report.ts";

/** `benchmarks/README.md`: what is measured, how to run it, and the figures. */
export const writeReadme = (results: Results) => `# Benchmarks

\`npm run bench\` measures the product as \`npm start\` runs it, with its invented programme and 100,000 reviews, and writes this page,
\`results.json\` and the plots. It takes half an hour, needs Linux, and wants the machine for itself. Why the figures are what
they are is in [docs/performance.md](../docs/performance.md).

- \`npm run bench -- --growth\` measures 390,000 shows and 5,000,000 reviews too, which takes some minutes more and 4 GB of disk.
  Without it, what the last run found of that stays on this page.
- \`npm run bench -- --quick\` takes a minute and a half, prints rough figures and writes nothing.
- \`npm run bench -- --only load\` prints one part: \`starting\`, \`first-load\`, \`phone\`, \`load\`, \`writing\`, \`change\`, \`growth\`, or some of them.

${Object.keys(plotResults(results))
  .map((name) => `![${name.replace(".svg", "")}](plots/${name})`)
  .join("\n\n")}

## What is measured

- **Data**: the invented programme, with its invented reviews and as many more as make 100,000, spread unevenly: a few shows have
  more than a thousand, most a handful. Half have notes.
- **As many requests as it can answer**: ${CONNECTIONS} connections from one process, the server in another. _The limit_ is a bare
  \`node:http\` server in a third that sends the product's own answers, the same bytes, from memory. All that are compared are loaded
  in turn, each round with another one first, and the figures are medians of the rounds; compare the ratios, since a machine
  is never twice the same. Pages are asked for as browsers do, with brotli; the API without compression where nothing else is said.
  _Never asked before_ is a random search (two letters, three, or a piece of a title, an artist's or a venue's name), on any page, half of them
  with filters, and never the same twice, so that every answer has to be made. Other pages come round again and are kept. _CPU_ is what
  the serving process uses, compression included. Where there is too
  much to do the product refuses: how often is told, and a run in which that is more than a few percent fails.
- **Against what else one could use**, each a file in \`comparisons/\`, on the same PostgreSQL. _Hono, kept texts_ sends the product's
  answers from memory. _Snapshot_ is a sorted list in memory, looked through at each request and turned into JSON again. _Good SQL_ has the
  tallies and the folded search text in the shows' rows, an index in the list's order, a trigram index (pg_trgm) and one prepared
  statement a page, in which PostgreSQL writes the JSON. Before they are measured, both have to answer the same as the product. _The specification's own way_
  joins shows with their reviews and then sends all reviews, which is what its client asks for.
- **Half as many**: requests at a steady rate, half of what the product could answer just before, whether or not earlier ones
  have been answered; one that finds no free connection counts from when it was due. Medians of seven rounds of a second, in turn, from a process that does nothing else, over connections that are open. A round in which other
  guests of the host took some of the processors' time, by the kernel's count, is measured again, at most three times: at 2,900 requests a second, p99 was 12 to 95 ms where they took
  a third of it, of the bare server too, and 1 to 2 where nothing. What they took of the rounds that count is told. The limit's latency at the same rate is
  what the machine and measuring itself take.
- **Writing reviews**: ${CONNECTIONS} connections over HTTP, in turn with as many clients of the database, as \`pgbench\` has them. What those send is
  recorded from the product itself, so that the statements are the same whatever it does. They send them one after the other, as \`pgbench\` does; the
  product sends some of them together.
- **Read while it changes**: at a steady rate, quietly, while the product refreshes its shows (a tenth of them changed each time; for longer than that takes; what plays the festival, which is another machine, has the lowest priority), and while
  reviews come in over HTTP, each after a second that is not counted, and again where others disturbed it. Ratios are medians of those within a round, of which there are five. _The limit_ is asked in the same way right afterwards, while the product takes as many reviews. The pause of the event loop is what the serving process itself reports.
- **A hundred times as many shows**, made inside PostgreSQL from the invented ones; the same requests to that site and to the usual one in turn.
- **Starting**: from the command \`npm start\`, with everything installed and built, until the first page of the list has come whole;
  and from Ctrl-C until nothing of it runs any more. Medians. "Empty data folder" is without the further reviews.
- **Memory**: resident memory of the process that serves, two seconds after its start and after all the loads.
- **First load**: every request of a Chromium that has never seen the site, with the size of each answer as served.
- **On a phone**: Chromium plays one, with a processor four times slower than this machine's and a slow line. Medians.

## Figures

${reportFigures(results)}
`;
