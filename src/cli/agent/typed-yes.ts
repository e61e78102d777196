import { createInterface } from "node:readline/promises"

/** Returns the text typed after `question`, or null if standard input is not a terminal: a pipe cannot approve a payment. */
export async function typedAnswer(question: string): Promise<string | null> {
  if (!process.stdin.isTTY) return null
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
}
