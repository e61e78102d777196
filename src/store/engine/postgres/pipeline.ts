/** Statements of one connection: one whose answer nobody waits for travels with the next, and its failure counts as that one's. */
import type { Answer, Connection } from "./connection.ts"

export class Pipeline {
  private ahead: Promise<unknown>[] = []

  constructor(private readonly connection: Connection) {}

  /** Sent now, checked later. */
  tell(text: string, parameters?: readonly unknown[]): void {
    this.ahead.push(this.connection.send(text, parameters))
  }

  /** As {@link tell}, for what somebody else sent on this connection. */
  follow(sent: Promise<unknown>): void {
    this.ahead.push(sent)
  }

  async ask(text: string, parameters?: readonly unknown[]): Promise<Answer> {
    const answer = this.connection.send(text, parameters)
    const [own] = await Promise.all([answer, ...this.ahead.splice(0)])
    return own
  }

  /** Rejects if one of those told before failed. */
  async check(): Promise<void> {
    await Promise.all(this.ahead.splice(0))
  }
}
