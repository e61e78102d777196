/** The lines of the corpus: each is given to the command and to the page, which must say the same. */
import { SEED, sample } from "../../fixtures/long.ts"
import { type CorpusFiles, corpusFiles, type Files } from "./corpus-files.ts"
import { GROUPS, type Group } from "./corpus-lines.ts"
import { forgedFiles } from "./forged-files.ts"

export interface Corpus {
  readonly files: Files
  readonly lines: readonly string[]
}

/** A sample of the lines of each subject; all of them with `BIZAUTH_LONG=1`. */
export async function corpus(): Promise<Corpus> {
  const made = await corpusFiles()
  const forged = forgedFiles(made.files)
  const groups: readonly Group[] = [
    ...GROUPS,
    { lines: storedLines(made), always: 2 },
    { lines: agentLines(made), always: 3 },
  ]
  return {
    files: { ...made.files, ...forged.files },
    lines: [...groups.flatMap(sampled), ...forged.lines],
  }
}

function sampled({ lines, always }: Group, at: number): readonly string[] {
  const others = lines.slice(always)
  return [...lines.slice(0, always), ...sample(others, Math.ceil(others.length / 5), SEED + at)]
}

function storedLines({ stored }: CorpusFiles): string[] {
  return stored.map(
    ({ name, issuer, capsule, at }) =>
      `${name} --issuer ${issuer} --at ${at}${capsule === null ? "" : ` --capsule ${capsule}`}`,
  )
}

/** The page has no field for the other options, because each of them is for a program. */
function agentLines({ agentBundles }: CorpusFiles): string[] {
  return agentBundles.flatMap(({ file, options }) => {
    const { logKey, at, since, maxAge, requireActive, reformatted } = options
    if (maxAge !== undefined || requireActive || reformatted) return []
    const pinned = logKey === undefined ? "" : ` --log-key ${logKey}`
    const remembered = since === undefined ? "" : " --since agent-since.json"
    const line = `agent verify-bundle ${file}${pinned}${remembered} --at ${at}`
    return since === undefined || since.startsWith("{") ? [line] : []
  })
}

/** A line without a time is judged now, by two clocks. */
export function withoutNow(line: string, text: string): string {
  return line.includes("--at ") ? text : text.replaceAll(/judged at \S+/g, "judged now")
}
