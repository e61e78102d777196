/** Statements of one connection. One whose answer no caller awaits travels with the next, and its failure counts as a failure of the next. */
import type { Connection } from "./connection.ts"
import type { Answer } from "./driver.ts"

export class Pipeline {
  private ahead: Promise<unknown>[] = []

  constructor(private readonly connection: Connection) {}

  /** Sent now, checked later. */
  tell(text: string, parameters?: readonly unknown[]): void {
    this.ahead.push(this.connection.send(text, parameters))
  }

  /** As {@link tell}, for a statement that other code sent on this connection. */
  follow(sent: Promise<unknown>): void {
    this.ahead.push(sent)
  }

  async ask(text: string, parameters?: readonly unknown[]): Promise<Answer> {
    const answer = this.connection.send(text, parameters)
    const [own] = await Promise.all([answer, ...this.ahead.splice(0)])
    return own
  }

  /** Rejects if a statement failed that was sent before and not checked. */
  async check(): Promise<void> {
    await Promise.all(this.ahead.splice(0))
  }
}
