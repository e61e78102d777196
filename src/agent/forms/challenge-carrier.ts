import { type Static, Type } from "@sinclair/typebox"
import { KeyEvent } from "../../../schemas/agent-id/key-event.ts"

/** Open around the event: a later service may add members. They are not signed. */
export const ChallengeCarrier = Type.Object({ challenge: KeyEvent })
export type ChallengeCarrier = Static<typeof ChallengeCarrier>
