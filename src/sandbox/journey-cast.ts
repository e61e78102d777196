/** What a journey is played with: the service, its transcript, and the actors with their keys. */

import type { JourneyName } from "../../schemas/agent-mode/journeys.ts"
import { enrol } from "../agent/enrol.ts"
import type { KeyFile } from "../agent/forms/key-file.ts"
import { generateKeyFile, signingKey } from "../agent/keys.ts"
import type { Sandbox } from "./open-sandbox.ts"
import { SANDBOX_BASE_URL } from "./open-sandbox.ts"
import type { SyntheticBoards } from "./synthetic-boards.ts"
import type { SyntheticAgent, SyntheticBuyer } from "./synthetic-buyer.ts"
import { syntheticSeed } from "./synthetic-keys.ts"
import type { Transcript } from "./transcript.ts"

/** A document that a journey hands out, before it is wrapped. */
export interface MadeDocument {
  readonly type: string
  readonly document: object
}

export interface Cast {
  readonly journey: JourneyName
  readonly sandbox: Sandbox
  readonly boards: SyntheticBoards
  readonly transcript: Transcript
  readonly buyer: SyntheticBuyer
  /** The keys of the agent, enrolled or not. */
  readonly agentKeys: KeyFile
}

/** Operational, recovery and next key of the agent. */
export function agentKeyFile(seed: number): KeyFile {
  let index = 0
  return generateKeyFile(() => syntheticSeed(seed, "AGENT", index++))
}

export interface EnrolledAgent extends SyntheticAgent {
  readonly profile: object
  readonly receipt: object
}

/** Two calls: the challenge and its proof. */
export async function enrolAgent({
  agentKeys,
  transcript,
}: Pick<Cast, "agentKeys" | "transcript">): Promise<EnrolledAgent> {
  const { agentId, keyId, profile, head } = await enrol({
    keys: agentKeys,
    server: SANDBOX_BASE_URL,
    send: transcript.send,
    remember: () => {},
  })
  const { privateKey } = signingKey(agentKeys.operational)
  return { issuer: agentId, keyId, privateKey, profile, receipt: head.receipt }
}
