/** The demo as a list of steps: the action, its outcome, its duration, and the charge according to the chain. */
import { formatUsdc } from "./money.ts"

interface StoryStep {
  readonly name: string
  readonly status: "OK" | "FAILED"
  /** The outcome in words. */
  readonly outcome: string
  readonly milliseconds: number
  /** Measured: the increase of the service's wallet during the step, in millionths of a USDC. */
  readonly charged_atomic: string
  readonly facts: Readonly<Record<string, string>>
}

interface Outcome {
  readonly outcome: string
  readonly facts?: Readonly<Record<string, string>>
}

/** The outcome differs from the expected one. */
export class UnexpectedOutcome extends Error {}

export function expectSame(what: string, actual: unknown, expected: unknown): void {
  if (actual === expected) return
  throw new UnexpectedOutcome(`${what} is ${String(actual)}, not ${String(expected)}`)
}

export class Story {
  readonly steps: StoryStep[] = []

  constructor(
    /** Balance of the wallet that receives the service's payments. */
    private readonly received: () => Promise<bigint>,
    private readonly print: (text: string) => void,
  ) {}

  /** Runs one step that must charge exactly `chargeAtomic`. Records the step, and rethrows its error. */
  async tell<T extends Outcome>(name: string, chargeAtomic: bigint, act: () => Promise<T>): Promise<T> {
    const before = await this.received()
    const started = performance.now()
    const took = () => Math.round(performance.now() - started)
    try {
      const result = await act()
      const milliseconds = took()
      const charged = (await this.received()) - before
      expectSame(`what "${name}" charged`, charged, chargeAtomic)
      this.#add({ name, status: "OK", milliseconds, charged_atomic: String(charged), facts: {}, ...pick(result) })
      return result
    } catch (error) {
      const outcome = error instanceof Error ? error.message : String(error)
      const charged_atomic = String((await this.received().catch(() => before)) - before)
      this.#add({ name, status: "FAILED", outcome, milliseconds: took(), charged_atomic, facts: {} })
      throw error
    }
  }

  #add(step: StoryStep): void {
    this.steps.push(step)
    const charged =
      step.charged_atomic === "0" ? "nothing charged" : `charged ${formatUsdc(BigInt(step.charged_atomic))}`
    this.print(
      `${String(this.steps.length).padStart(2)}  ${step.status === "OK" ? "ok  " : "FAIL"}  ${step.name}: ${step.outcome}  (${step.milliseconds} ms, ${charged})\n`,
    )
    for (const [label, value] of Object.entries(step.facts)) this.print(`            ${label.padEnd(20)} ${value}\n`)
  }
}

function pick({ outcome, facts }: Outcome): Pick<StoryStep, "outcome"> & Partial<Pick<StoryStep, "facts">> {
  return { outcome, ...(facts && { facts }) }
}
