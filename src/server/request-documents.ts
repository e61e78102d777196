/** Schema and example of every paid product's body, made from the list of products, and the examples of the other bodies. */
import { getOpenapiExamples } from "../../schemas/discovery/openapi.ts"
import { recoverPaymentDecision } from "../../schemas/us/operations.ts"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import type { RecoveryRequest } from "../../schemas/us/recovery.ts"
import { requestDigest } from "../checks/policy/digests.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { recoverySigningValue } from "../core/forms/recovery-signing.ts"
import { signValue } from "../core/signer.ts"
import { formatInstant, MINUTE } from "../core/time.ts"
import { examplesSent } from "../discovery/openapi/examples.ts"
import { heldDocument, heldForMinute, heldOnFirstRequest } from "../http/conditional.ts"
import { EXAMPLE_HEADERS, heldExample, heldSchema, type RequestDocument } from "../http/request-documents.ts"
import type { Route } from "../http/route.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import { type ExampleCall, PUBLISHED_EXAMPLE } from "../products/common/example-call.ts"
import { PRODUCTS } from "../products/products.ts"
import { exampleAgent, exampleMandateSigner } from "../products/us/example-signers.ts"
import { decisionDraft, signedDecision } from "../products/us/payment-decision/example.ts"

/** `baseUrl` is the audience in the signed examples. */
export function requestDocuments(baseUrl: string): readonly RequestDocument[] {
  const parts = {
    agent: exampleAgent,
    mandate: exampleMandateSigner,
    audience: baseUrl,
    companyNumber: undefined,
  }
  return PRODUCTS.map(({ id, paid, isSigned, documents, example }) => ({
    product: id,
    request: paid.body,
    signed: isSigned,
    operations: documents,
    example: (call = PUBLISHED_EXAMPLE) => example({ ...parts, call }),
  }))
}

/** Another key for each minute: a key names one body. */
function callOf(at: number): ExampleCall {
  return { at, key: `example-${at / MINUTE}` }
}

export function requestDocumentRoutes(shell: Shell): readonly Route[] {
  const now = () => shell.machine.now()
  return requestDocuments(shell.baseUrl()).flatMap((document) => {
    const schema = heldOnFirstRequest(() => heldSchema(document))
    const example = heldForMinute(now, (at) => heldExample(document, callOf(at)))
    return [
      serve(shell, document.operations.schema, ({ headers }) => schema(headers)),
      serve(shell, document.operations.example, ({ headers }) => example(headers)),
    ]
  })
}

export function openapiExamplesRoute(shell: Shell): Route {
  const examples = heldForMinute(
    () => shell.machine.now(),
    (at) => {
      const baseUrl = shell.baseUrl()
      const free = examplesSent({ operations: shell.served?.rows() ?? [], baseUrl, at })
      const all = { ...free, [recoverPaymentDecision.id]: recoveryExample(baseUrl, at) }
      return heldDocument(canonicalize(all), EXAMPLE_HEADERS)
    },
  )
  return serve(shell, getOpenapiExamples, ({ headers }) => examples(headers))
}

/** Recovers the decision of the example that the route of the product serves in the same minute. */
function recoveryExample(audience: string, at: number): RecoveryRequest {
  const request = exampleDecision(at)
  const authentication = { issued_at: formatInstant(at), nonce: "example-nonce-0000000000000000000" }
  const { value } = signValue(exampleAgent, recoverySigningValue(requestDigest(request), authentication, audience))
  return { request, authentication: { ...authentication, signature: value } }
}

function exampleDecision(at: number): DecisionRequest {
  const signers = { agent: exampleAgent, mandate: exampleMandateSigner }
  return signedDecision(decisionDraft(callOf(at), exampleAgent), at, signers)
}
