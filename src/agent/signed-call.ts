/** One call that the agent signs as an HTTP message. */
import type { Operation } from "../../schemas/operation.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import type { Machine } from "../base/machine.ts"
import type { KeyFile } from "./forms/key-file.ts"
import { signingKey } from "./keys.ts"
import { postText, promisedBody, refused, type Send } from "./service-call.ts"
import { type SigningAgent, signHttpRequest } from "./sign-http.ts"

/** Throws CommandError (2) for a key file that is not enrolled. */
export function signingAgent(keys: KeyFile): SigningAgent {
  if (keys.agent_id === undefined) {
    throw new CommandError(EXIT.USAGE, "the key file is not enrolled yet; run bizauth agent enroll first")
  }
  return { agentId: keys.agent_id, key: signingKey(keys.operational) }
}

interface SignedCallDeps {
  readonly agent: SigningAgent
  /** Origin of the service. */
  readonly server: string
  readonly send: Send
  readonly machine: Pick<Machine, "now" | "random">
}

/** Returns the body of the 200. Throws CommandError: 3 refused, 4 no answer or one that the row does not promise. */
export async function signedAnswerOf<Answer>(
  { agent, server, send, machine }: SignedCallDeps,
  row: Operation,
  body: object,
  bytesMax?: number,
): Promise<Answer> {
  const url = server + row.path
  const text = JSON.stringify(body)
  const headers = signHttpRequest(agent, { url, text }, machine)
  const reply = await postText(send, url, text, { headers, ...(bytesMax !== undefined && { bytesMax }) })
  if (reply.status !== 200) throw refused(row.id, reply)
  return promisedBody<Answer>(row, reply, row.id)
}
