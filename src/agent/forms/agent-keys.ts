import { Type } from "@sinclair/typebox"
import { AgentId } from "../../../schemas/common.ts"
import { PrivateJwk } from "./key-file.ts"

/** The members of a key file that a signer reads. Open: this program wrote the others. */
export const AgentKeysForm = Type.Object({
  operational: PrivateJwk,
  recovery: PrivateJwk,
  next: Type.Optional(PrivateJwk),
  agent_id: Type.Optional(AgentId),
})
