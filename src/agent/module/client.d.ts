/**
 * client.mjs: buys and recovers answers of this service. It runs under Node 20 or newer, Bun, Deno and in browsers, and needs no package.
 *
 * Keep three files in one folder, under these names: `client.mjs`, `client.d.ts` and `verifier.mjs`. `client.mjs` imports `./verifier.mjs`.
 *
 * - It pays only when {@link Client.pay} is called, and only up to the limit that you give.
 * - It stores a signed payment before it sends it. It never signs a second payment for the same request.
 * - Keys and wallets stay in your process. The client sends signed messages only.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
export interface JsonObject {
  readonly [name: string]: Json
}

/**
 * Where the client keeps signed payments. A payment that is lost could be paid twice, so both functions must be durable: a file, a row of a
 * database, an entry of IndexedDB.
 */
export interface Store {
  /** Returns the text that was added under the name, or null. */
  get(name: string): string | null | Promise<string | null>
  /** Stores a text under a new name. It must throw, and change nothing, if the name exists. It is durable when it returns. */
  add(name: string, text: string): void | Promise<void>
}

export interface ClientOptions {
  /** Origin of the service, for example `https://decisions.example`. */
  readonly server: string
  readonly store: Store
  /** In place of the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** A private Ed25519 JWK. Keep it secret. */
export interface PrivateJwk {
  readonly kty: "OKP"
  readonly crv: "Ed25519"
  readonly x: string
  readonly d: string
}

/** The keys of an agent, in the form of the file of `bizauth agent keygen`. Whoever loses it loses the identity. */
export interface AgentKeys {
  readonly operational: PrivateJwk
  readonly recovery: PrivateJwk
  readonly next?: PrivateJwk
  /** Present after the enrolment. */
  readonly agent_id?: string
  readonly [more: string]: unknown
}

/** A mandate key of a buyer organization, in the form of the file of `bizauth buyers keygen`. The operator enters its public half. */
export interface OrganizationKey extends PrivateJwk {
  readonly kid: string
}

/** A wallet. An account of viem fits as it is; `docs/buy.md` shows ethers. */
export interface Wallet {
  readonly address: string
  /** Signs EIP-712 typed data and returns 0x and hex digits. Numbers of the message are BigInt. */
  signTypedData(typed: {
    readonly domain: {
      readonly name: string
      readonly version: string
      readonly chainId: number
      readonly verifyingContract: `0x${string}`
    }
    readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>
    readonly primaryType: string
    readonly message: Readonly<Record<string, unknown>>
  }): Promise<string>
}

export interface DelegationTerms {
  readonly keys: AgentKeys
  readonly organizationKey: OrganizationKey
  readonly organizationId: string
  readonly organizationDigest: string
  /** Largest single payment, decimal. */
  readonly maxPayment: string
  /** Largest sum of payments, decimal. No limit without it. */
  readonly maxTotal?: string
  readonly maxRequestsPerDay?: number
  /** ISO 4217 code. Default USD. */
  readonly currency?: string
  /** `SIGN_REQUEST` (default), `SIGN_MANDATE`, `AUTHORIZE_DESTINATION_CHANGE`. */
  readonly scope?: readonly string[]
  /** Default 30. */
  readonly days?: number
}

export interface RequestToSign {
  /** A request without digests and signatures. Constants, ids, times and fingerprints may be left out. */
  readonly draft: JsonObject
  readonly keys: AgentKeys
  /** Makes a mandate for exactly this request. */
  readonly organizationKey?: OrganizationKey
  /** How long that mandate lasts. Default 120. */
  readonly mandateMinutes?: number
  /** In place of a key: a mandate that was signed elsewhere for exactly this draft. The draft must then state `evaluated_at` and `key_id`. */
  readonly mandate?: JsonObject
}

/** A price for one request. Nothing was paid. */
export interface Quote {
  readonly kind: "QUOTE"
  readonly product: string
  /** Millionths of a USDC. */
  readonly amountAtomic: bigint
  /** CAIP-2 id of the chain. */
  readonly network: string
  readonly payTo: string
  readonly expiresAt: Date
  /** `HUMAN_REVIEW_BEFORE_PAYMENT`: a person must review this quote before it is paid. */
  readonly reviewDuty: "HUMAN_REVIEW_BEFORE_PAYMENT" | "REVIEW_QUOTE_BEFORE_PAYMENT"
  /** As the service sent it. */
  readonly terms: JsonObject
}

/** The service decides nothing now, and charges nothing. */
export interface Uncharged {
  readonly kind: "UNCHARGED"
  readonly decision: "RETRY" | "NO_DECISION"
  readonly machineAction: string
  readonly reasonCodes: readonly string[]
  readonly retryAfterSeconds: number | null
}

/** A delivered answer. It is not verified: {@link verifyDocument} does that. */
export interface Answer {
  readonly kind: "ANSWER"
  readonly decision: string
  readonly machineAction: string
  /** Digest by which later requests name this answer as evidence. */
  readonly reference: string
  /** The exact bytes. Keep them. */
  readonly bytes: Uint8Array
  readonly body: JsonObject
  /** The signed capsule of an answer; null for a Payment Decision, which contains its own. */
  readonly capsule: Uint8Array | null
  /** Transaction of the payment, if the service named it. */
  readonly transaction: string | null
}

export interface Payment {
  readonly quote: Quote
  /** The request that the quote is for, unchanged. */
  readonly request: JsonObject
  readonly wallet: Wallet
  /** The most that may be paid, in millionths of a USDC. There is no default. */
  readonly limitAtomic: bigint
  /** Refuses a quote that pays another address. */
  readonly payTo?: string
  /** True after a person reviewed the quote. Needed where `reviewDuty` is `HUMAN_REVIEW_BEFORE_PAYMENT`. */
  readonly reviewedByPerson?: boolean
  /** How long to wait for the settlement. Default 300. */
  readonly waitSeconds?: number
}

/**
 * Replaces the stored keys, durably. It is called with everything that a change needs before anything signed is sent, and again with the
 * result. After an error, call again with the keys that were saved last: a change that the service accepted is not made twice.
 */
export type SaveKeys = (keys: AgentKeys) => void | Promise<void>

export interface KeyRotation {
  /** Which key is replaced. Default `OPERATIONAL`. */
  readonly key?: "OPERATIONAL" | "RECOVERY"
  /** `RECOVERY`: for an operational key that was lost, stolen or revoked. Else it signs its own replacement by the committed next key. */
  readonly signedBy?: "OPERATIONAL" | "RECOVERY"
  /** RFC 3339 time since when someone else may have had the operational key. Only the recovery key can claim it. */
  readonly compromisedSince?: string
}

export interface KeyRevocation {
  /** `OPERATIONAL`: only the recovery key can add another. `IDENTITY`: permanent, and the recovery key signs it. */
  readonly what: "OPERATIONAL" | "IDENTITY"
  readonly reason?: "KEY_COMPROMISE" | "SUPERSEDED" | "CESSATION_OF_OPERATION" | "UNSPECIFIED"
  readonly signedBy?: "OPERATIONAL" | "RECOVERY"
  readonly compromisedSince?: string
}

/** Whose delegation or mandate ends, and why. */
export interface GrantRevocation {
  readonly organizationKey: OrganizationKey
  readonly organizationId: string
  /** At most 300 characters. */
  readonly reason: string
}

export interface Client {
  /** Enrols the keys. */
  enrol(keys: AgentKeys, save: SaveKeys): Promise<AgentKeys & { agent_id: string }>
  /** Replaces a key of the agent. The new keys are made here. */
  rotate(keys: AgentKeys, save: SaveKeys, rotation?: KeyRotation): Promise<AgentKeys & { agent_id: string }>
  /** Revokes the operational key, or the identity for ever. */
  revoke(keys: AgentKeys, save: SaveKeys, revocation: KeyRevocation): Promise<AgentKeys & { agent_id: string }>
  /** Lets the agent's key act for the organization. Returns the signed answer of the service. */
  delegate(terms: DelegationTerms): Promise<JsonObject>
  /** Ends a delegation. Its id is `payload.delegation_id` of the answer of `delegate`. */
  revokeDelegation(terms: GrantRevocation & { readonly delegationId: string }): Promise<JsonObject>
  /** Ends the mandate in a signed request, whether or not the request was sent. */
  revokeMandate(terms: GrantRevocation & { readonly request: JsonObject }): Promise<JsonObject>
  /** Runs every check before a quote, also on a partial request. Free. */
  eligibility(product: string, request: JsonObject): Promise<JsonObject>
  /** Says what a draft lacks. Free. */
  contact(product: string, draft: JsonObject): Promise<JsonObject>
  /** Asks for a price. Never pays. */
  quote(product: string, request: JsonObject): Promise<Quote | Uncharged>
  /**
   * Pays a quote and waits for the answer. If a payment for this request is in the store, it sends that one again and signs nothing. So
   * after a lost answer, call it again with the same request.
   */
  pay(payment: Payment): Promise<Answer | Uncharged>
  /** Sends the stored payment of a request again, without a wallet. Throws `NOT_FOUND` if there is none. */
  repeat(product: string, request: JsonObject, waitSeconds?: number): Promise<Answer | Uncharged>
  /** Gets a bought Payment Decision again, without payment. */
  recover(keys: AgentKeys, request: JsonObject): Promise<Answer>
  /** Reads a delivered answer of another product again by its `execution_id`, without its token. */
  read(product: string, executionId: string): Promise<JsonObject>
  /** Spends, revokes or reads an authorization token. The body repeats every value that the token is bound to. */
  token(country: "US" | "GB", action: "redeem" | "revoke" | "status", body: JsonObject): Promise<JsonObject>
  /** The key set of the service. Compare its fingerprint over another channel before you trust it. */
  issuerKeys(): Promise<string>
}

export interface VerifyOptions {
  /** JSON of the issuer's key set, which you got separately from the document. */
  readonly issuer: string
  /** The request that the document must answer. */
  readonly request?: JsonObject
  /** The capsule of an answer. */
  readonly capsule?: Uint8Array | null
  /** `RELEASE_PAYMENT` or `CONTINUE`: what the document must permit. */
  readonly require?: string
  /** The environment that the document must be of. Without it, a document must be `live` to meet `require`. */
  readonly environment?: "live" | "test"
  /** Judge at this RFC 3339 time in place of now. */
  readonly at?: string
}

export interface Verification {
  /** `GOOD` alone means: genuine, current, and what `require` asks for. */
  readonly verdict: string
  /** Null unless the document is genuine and the one that you wanted. */
  readonly decision: string | null
  readonly machineAction: string | null
  /** The whole report, in the words of `bizauth verify`. */
  readonly text: string
}

export type ErrorCode = "USAGE" | "REFUSED" | "TRY_AGAIN" | "NOT_FOUND"

/** Every error that the client throws on purpose. Its message holds no secret. */
export declare class ClientError extends Error {
  /**
   * `USAGE`: a value that you gave is wrong, and nothing was sent. `REFUSED`: the service refused, its answer is false, or a quote is not
   * within your terms. `TRY_AGAIN`: no answer yet; the same call may succeed later. `NOT_FOUND`: nothing was bought for this request.
   */
  readonly code: ErrorCode
  /** The bytes of a delivered answer that this version cannot read. They were paid for: keep them. */
  readonly answer: Uint8Array | null
}

export declare function createClient(options: ClientOptions): Client
/** Makes the keys of a new agent. Store them before you enrol them. */
export declare function createKeys(): AgentKeys
/** Makes a mandate key. `publicKey` is for the operator of the service. */
export declare function createOrganizationKey(): {
  readonly key: OrganizationKey
  readonly publicKey: Omit<OrganizationKey, "d">
}
/** Completes and signs the request of a Payment Decision. Nothing is sent. Keep the result: recovery needs it. */
export declare function signRequest(request: RequestToSign): JsonObject
/** Completes and signs a US vendor change. Nothing is sent. */
export declare function signVendorChange(change: { readonly draft: JsonObject; readonly keys: AgentKeys }): JsonObject
/**
 * Verifies any document of the service, without a network. From `verifier.mjs`. Throws an Error for options or a document that cannot be
 * read.
 */
export declare function verifyDocument(document: Uint8Array | string, options: VerifyOptions): Promise<Verification>
