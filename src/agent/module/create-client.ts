/** The calls of a buyer to one service. Each is a thin layer over the functions that the agent commands use. */
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { PAYMENT_INTENT } from "../../../schemas/us/covered.ts"
import { DecisionRequest, PAYMENT_DECISION_PRODUCT } from "../../../schemas/us/payment-decision.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { VERIFIED_TLS } from "../../base/verified-tls.ts"
import { SECOND } from "../../core/time.ts"
import { askQuote } from "../ask-quote.ts"
import { delegate } from "../delegate.ts"
import { enrol } from "../enrol.ts"
import { BUYERS_ANSWER, CLIENT_PRODUCTS } from "../forms/client-products.ts"
import type { KeyFile } from "../forms/key-file.ts"
import { signingKey } from "../keys.ts"
import { termsOf } from "../quote-file.ts"
import { recoverDelivery } from "../recover.ts"
import { answerRequest, decisionRequest, type ProductRequest } from "../request-bytes.ts"
import { requireForm } from "../require-form.ts"
import { type Grant, revokeGrant } from "../revoke-grant.ts"
import { getJson, postJson, refused, type ServiceReply, serverOrigin } from "../service-call.ts"
import { answerOf, unchargedOf } from "./answer.ts"
import type {
  AgentKeys,
  Answer,
  Client,
  ClientOptions,
  DelegationTerms,
  GrantRevocation,
  JsonObject,
  Quote,
  SaveKeys,
  Uncharged,
} from "./client.d.ts"
import { withClientErrors, withClientErrorsAtOnce } from "./client-error.ts"
import { ENGINE } from "./engine.ts"
import { type PaymentDeps, payQuote, repeatPayment } from "./pay.ts"
import { change, wantedRevocation, wantedRotation } from "./rotate-keys.ts"
import { agentSigner, keyFileOf, organizationSigner } from "./signers.ts"

const checkRequest = TypeCompiler.Compile(DecisionRequest)

export function createClient(options: ClientOptions): Client {
  const deps: PaymentDeps = {
    server: withClientErrorsAtOnce(() => serverOrigin(options.server)),
    // Bun reads the option, other engines ignore it.
    send: options.fetch ?? ((request) => fetch(request, { tls: VERIFIED_TLS })),
    store: options.store,
  }
  const { server, send } = deps
  const get = async (path: string) => answered(path, await getJson(send, server + path))
  const post = async (path: string, body: JsonObject) =>
    jsonIn(answered(path, await postJson(send, server + path, body)))
  return {
    enrol: (keys, save) => withClientErrors(() => enrolKeys(deps, keys, save)),
    rotate: (keys, save, rotation = {}) =>
      withClientErrors(async () => change(deps, keys, wantedRotation(rotation), save)),
    revoke: (keys, save, revocation) =>
      withClientErrors(async () => change(deps, keys, wantedRevocation(revocation), save)),
    delegate: (terms) => withClientErrors(() => delegateTo(deps, terms)),
    revokeDelegation: ({ delegationId, ...terms }) =>
      withClientErrors(async () => end(deps, { kind: "DELEGATION", id: delegationId }, terms)),
    revokeMandate: ({ request, ...terms }) => withClientErrors(async () => end(deps, mandateIn(request), terms)),
    eligibility: (product, request) =>
      withClientErrors(async () => post(`${productOf(product).path}/eligibility`, request)),
    contact: (product, draft) =>
      withClientErrors(async () => post(`${productOf(product).path}/contact`, contactBody(product, draft))),
    quote: (product, request) => withClientErrors(() => quoteFor(deps, product, request)),
    pay: (payment) =>
      withClientErrors(async () => payQuote(deps, bytesOf(payment.quote.product, payment.request), payment)),
    repeat: (product, request, seconds) =>
      withClientErrors(async () => repeatPayment(deps, bytesOf(product, request), seconds)),
    recover: (keys, request) => withClientErrors(() => recover(deps, keys, request)),
    read: (product, executionId) =>
      withClientErrors(async () => {
        const country = productOf(product).country.toLowerCase()
        return jsonIn(await get(`/v1/${country}/executions/${encodeURIComponent(executionId)}`))
      }),
    token: (country, action, body) =>
      withClientErrors(async () => post(`/v1/${country.toLowerCase()}/authorization-tokens/${action}`, body)),
    issuerKeys: () =>
      withClientErrors(async () => new TextDecoder().decode((await get("/.well-known/jwks.json")).bytes)),
  }
}

/** Returns the reply. Throws CommandError unless it is 200. */
function answered(path: string, reply: ServiceReply): ServiceReply {
  if (reply.status !== 200) throw refused(`call of ${path}`, reply)
  return reply
}

function jsonIn({ body }: ServiceReply): JsonObject {
  return body as JsonObject
}

async function enrolKeys(
  { server, send }: PaymentDeps,
  given: AgentKeys,
  save: SaveKeys,
): Promise<AgentKeys & { agent_id: string }> {
  const keys = keyFileOf(given)
  if (keys.agent_id !== undefined) {
    throw new CommandError(EXIT.USAGE, `the keys are enrolled already as ${keys.agent_id} at ${keys.server}`)
  }
  const { agentId, keyId, head } = await enrol({
    keys,
    server,
    send,
    remember: (pending) => save({ ...keys, pending } as AgentKeys),
  })
  const { pending: _, ...kept } = keys
  const enrolled: KeyFile & { agent_id: string } = {
    ...kept,
    server,
    agent_id: agentId,
    key_id: keyId,
    head: head as NonNullable<KeyFile["head"]>,
  }
  await save(enrolled as AgentKeys)
  return enrolled as AgentKeys & { agent_id: string }
}

async function delegateTo({ server, send }: PaymentDeps, terms: DelegationTerms): Promise<JsonObject> {
  const organization = organizationSigner(terms.organizationKey, terms.organizationId)
  const agent = agentSigner(terms.keys)
  const answer = await delegate(
    { server, send, organization, agent, machine: ENGINE },
    {
      organizationDigest: terms.organizationDigest,
      scope: terms.scope ?? ["SIGN_REQUEST"],
      maxPayment: terms.maxPayment,
      maxTotal: terms.maxTotal ?? null,
      maxRequestsPerDay: terms.maxRequestsPerDay ?? null,
      currency: terms.currency ?? "USD",
      days: terms.days ?? 30,
    },
  )
  return answer as unknown as JsonObject
}

function mandateIn(request: JsonObject): Grant {
  const { mandate_digest: digest, payload } = signedRequest(request).buyer_mandate
  return { kind: "MANDATE", id: payload.mandate_id, digest }
}

async function end({ server, send }: PaymentDeps, grant: Grant, terms: GrantRevocation): Promise<JsonObject> {
  const organization = organizationSigner(terms.organizationKey, terms.organizationId)
  return (await revokeGrant({ server, send, organization, machine: ENGINE }, grant, terms.reason)) as JsonObject
}

async function quoteFor(deps: PaymentDeps, product: string, body: JsonObject): Promise<Quote | Uncharged> {
  const request = bytesOf(product, body)
  const { server, send } = deps
  const quoted = await askQuote({ send, server, recovery: "recover" }, request)
  if (quoted.kind === "UNCHARGED") return unchargedOf(quoted.answer)
  const { quote } = quoted
  const { amountAtomic, asset, requirements, expiresAt } = termsOf(quote, request)
  return {
    kind: "QUOTE",
    product: quote.product,
    amountAtomic,
    network: asset.network,
    payTo: requirements.payTo,
    expiresAt: new Date(expiresAt * SECOND),
    reviewDuty: quote.review_duty,
    terms: quote as unknown as JsonObject,
  }
}

async function recover({ server, send }: PaymentDeps, keys: AgentKeys, body: JsonObject): Promise<Answer> {
  const request = signedRequest(body)
  const key = signingKey(keyFileOf(keys).operational)
  const reply = await recoverDelivery({ server, send, key, machine: ENGINE }, request)
  return answerOf(reply, decisionRequest(request))
}

/** Throws CommandError (2) for an unknown product. */
function productOf(id: string) {
  const found = CLIENT_PRODUCTS.find((product) => product.id === id)
  if (found) return found
  throw new CommandError(
    EXIT.USAGE,
    `unknown product ${id}; known: ${CLIENT_PRODUCTS.map((product) => product.id).join(", ")}`,
  )
}

/** What the contact route takes. */
function contactBody(product: string, draft: JsonObject): JsonObject {
  return { ...(product === PAYMENT_DECISION_PRODUCT && { intent: PAYMENT_INTENT }), draft_request: draft }
}

function bytesOf(product: string, body: JsonObject): ProductRequest {
  if (product === PAYMENT_DECISION_PRODUCT) return decisionRequest(signedRequest(body))
  const rules = { ...productOf(product), schemas: { answer: BUYERS_ANSWER } }
  return answerRequest(rules, body as unknown as Parameters<typeof answerRequest>[1])
}

/** Throws CommandError (2) for anything but a complete, signed request. */
function signedRequest(body: JsonObject): DecisionRequest {
  return requireForm(checkRequest, body, "not a signed request (signRequest makes one)")
}
