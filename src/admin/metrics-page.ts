import { bugFields, type Log } from "../base/log.ts"
import { exposition, type Sample, sample } from "./exposition.ts"
import { type AllowedValues, PARTS, type Part } from "./label-values.ts"

export type Collect = () => readonly Sample[] | Promise<readonly Sample[]>

interface MetricsParts {
  readonly collect: Readonly<Record<Part, Collect>>
  readonly allowed: () => AllowedValues
  readonly log: Log
}

/** Prints the metrics. A part that cannot be read is left out and named: during a fault the others are needed most. */
export class MetricsPage {
  private failing: ReadonlySet<Part> = new Set()
  private printing: Promise<string> | null = null

  constructor(private readonly parts: MetricsParts) {}

  /** Readers at the same time get the same page, so that many of them cause no more work than one. */
  print(): Promise<string> {
    this.printing ??= this.printOnce().finally(() => {
      this.printing = null
    })
    return this.printing
  }

  private async printOnce(): Promise<string> {
    const failing = new Set<Part>()
    const found = await Promise.all(PARTS.map((part) => this.read(part, failing)))
    this.failing = failing
    const failed = PARTS.map((part) => sample("bizauth_metrics_part_failed", { part }, failing.has(part) ? 1 : 0))
    return exposition([...found.flat(), ...failed], this.parts.allowed())
  }

  private async read(part: Part, failing: Set<Part>): Promise<readonly Sample[]> {
    try {
      return await this.parts.collect[part]()
    } catch (error) {
      failing.add(part)
      // Log once when it begins, not for every reader.
      if (!this.failing.has(part)) this.parts.log.error("metrics_part_failed", { part, ...bugFields(error) })
      return []
    }
  }
}
