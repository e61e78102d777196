/** All events in order: one digest over all of them, and the lines themselves when a story is requested. */
import { createHash, type Hash } from "node:crypto"

interface Line {
  readonly text: string
  readonly about: readonly string[]
}

const BUFFER_CHARACTERS = 64 * 1024
const BUFFER_TIMES = 4096
/** A line that every story has. */
export const EVERYBODY = "everybody"

export class Trace {
  private readonly hash: Hash = createHash("sha256")
  private waiting = ""
  /** Formatting a time as text takes longer than the rest of a line, so the digest uses its bytes. */
  private readonly times = new Float64Array(BUFFER_TIMES)
  private timesWaiting = 0
  private readonly lines: Line[] = []
  private readonly sameAs = new Map<string, Set<string>>()

  /** `isKept`: also keep the lines, for {@link story}. */
  constructor(private readonly isKept: boolean) {}

  /** A step begins. */
  step(time: number, owner: string, name: string): void {
    this.times[this.timesWaiting++] = time
    if (this.timesWaiting === BUFFER_TIMES) this.flush()
    this.note(time, owner === "" ? name : `${owner}: ${name}`)
  }

  /** An event of the step that began last. `about`: the names that the line concerns. */
  note(time: number, text: string, about: readonly string[] = []): void {
    this.waiting += text
    this.waiting += "\n"
    if (this.waiting.length > BUFFER_CHARACTERS) this.flush()
    if (this.isKept) this.lines.push({ text: `${(time / 1000).toFixed(3).padStart(10)} s  ${text}`, about })
  }

  /** For a reader, a purchase, its attempts, authorizations and transactions are one subject. */
  same(one: string, other: string): void {
    if (!this.isKept) return
    const all = new Set([one, other, ...(this.sameAs.get(one) ?? []), ...(this.sameAs.get(other) ?? [])])
    for (const name of all) this.sameAs.set(name, all)
  }

  digest(): string {
    this.flush()
    return this.hash.copy().digest("hex")
  }

  /** The lines about any of these names, and the lines about everything. */
  story(names: readonly string[]): string[] {
    if (names.includes("*")) return this.lines.map(({ text }) => text)
    const wanted = new Set<string>([EVERYBODY])
    for (const name of names) for (const same of this.sameAs.get(name) ?? [name]) wanted.add(same)
    return this.lines.filter(({ about }) => about.some((name) => wanted.has(name))).map(({ text }) => text)
  }

  private flush(): void {
    this.hash.update(this.waiting)
    this.hash.update(this.times.subarray(0, this.timesWaiting))
    this.waiting = ""
    this.timesWaiting = 0
  }
}
