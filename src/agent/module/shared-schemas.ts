/** Schemas that many others contain. The client module has each of them once, and elsewhere `{"$ref": name}` in its place. */
import {
  AgentId,
  Amount,
  DateTime,
  Digest,
  EvmAddress,
  Identifier,
  KeyId,
  SignatureObject,
} from "../../../schemas/common.ts"
import { RequestingAgent } from "../../../schemas/us/payment-decision.ts"
import { PaymentRequired, PaymentRequirements } from "../../../schemas/x402.ts"
import { PrivateJwk } from "../forms/key-file.ts"

export const SHARED: Readonly<Record<string, object>> = {
  AgentId,
  Amount,
  DateTime,
  Digest,
  EvmAddress,
  Identifier,
  KeyId,
  PaymentRequired,
  PaymentRequirements,
  PrivateJwk,
  RequestingAgent,
  SignatureObject,
}
