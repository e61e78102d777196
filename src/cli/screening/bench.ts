import { CommandError, EXIT } from "../../base/exit.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { readLabelledNames } from "../../sources/screening/labelled-names.ts"
import { screen } from "../../sources/screening/screen.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { CONFIG_FLAGS } from "../inputs.ts"
import { BenchCounts, MARKS } from "./bench-counts.ts"
import { type BenchResult, benchJson, benchPage, benchText } from "./bench-report.ts"
import { asFileRefusal, openNames } from "./file.ts"
import { queryOf } from "./screened-rows.ts"
import { openLists, type ScreeningLists } from "./screening-lists.ts"
import { readThreshold, THRESHOLD_FLAGS } from "./threshold.ts"

const [FIRST_MARK = 0] = MARKS

export const command: Command = {
  name: "screening bench",
  summary: "recall, precision and alerts of your own labelled names, by class and by mark",
  operands: "FILE",
  flags: {
    ...CONFIG_FLAGS,
    ...THRESHOLD_FLAGS,
    html: { help: "print a page with the curve that needs no server, for a browser" },
    ...JSON_FLAG,
  },
  examples: ["screening bench ./labelled.csv --data ./data", "screening bench ./labelled.csv --html --data ./data"],
  async run(input) {
    const [path = ""] = input.operands
    if (input.on("html") && input.on("json")) throw usage("give --html or --json, not both")
    const mark = readThreshold(input)
    if (!MARKS.includes(mark)) throw usage("the mark of a bench has two decimals, such as --threshold 0.82")
    const result = await measured(input, await openLists(input), { path, mark })
    if (input.on("html")) input.out(benchPage(result))
    else input.out(input.on("json") ? `${canonicalize(benchJson(result))}\n` : benchText(result))
    return EXIT.DONE
  },
}

interface Measured {
  readonly path: string
  readonly mark: number
}

/** The lists are measured as they are: neither their age nor a recorded judgement counts. */
async function measured(input: Input, { index }: ScreeningLists, { path, mark }: Measured): Promise<BenchResult> {
  const source = await openNames(path)
  const counts = new BenchCounts()
  let names = 0
  input.progress.step({ what: "screening the labelled names", unit: "names", total: null })
  try {
    for await (const rows of readLabelledNames(source.chunks)) {
      for (const row of rows) counts.add(row, screen(index, queryOf(row, FIRST_MARK)))
      names += rows.length
      input.progress.done(names)
    }
  } catch (error) {
    throw asFileRefusal(error, path, names)
  } finally {
    source.close()
    input.progress.end()
  }
  const { version, parameterDigest } = index.scorer
  return {
    ...{ mark, groups: counts.groups, all: counts.all, scorer: { version, parameterDigest } },
    input: { sha256: source.sha256(), bytes: source.bytesRead() },
    ...{ snapshots: index.snapshotIds, namesListed: index.size.names },
  }
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.USAGE, message)
}
