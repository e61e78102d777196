/** What the caller's side signs, compared with the official client and verifier of x402. */
import { afterAll, beforeAll, describe, expect, setSystemTime, spyOn } from "bun:test"
import { x402Client, x402HTTPClient } from "@x402/core/client"
import { authorizationTypes, toFacilitatorEvmSigner } from "@x402/evm"
import { ExactEvmScheme as Signing } from "@x402/evm/exact/client"
import { ExactEvmScheme as Verifying } from "@x402/evm/exact/facilitator"
import { type Address, createTestClient, type Hex, http, pad } from "viem"
import type { PaymentRequired, PaymentRequirements } from "../../schemas/x402.ts"
import { checkedPayment } from "../../src/agent/payment-file.ts"
import type { QuoteTerms } from "../../src/agent/quote-file.ts"
import { signPayment, type Wallet } from "../../src/agent/sign-payment.ts"
import { SECOND } from "../../src/core/time.ts"
import { checkAuthorization } from "../../src/payments/authorization.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { type Asset, TRANSFER_TYPES } from "../../src/payments/networks/network.ts"
import { NETWORKS } from "../../src/payments/networks/networks.ts"
import { readPaymentHeader } from "../../src/payments/payment-header.ts"
import { openChain } from "../../src/payments/rpc.ts"
import { verifyPayment } from "../../src/payments/verify-payment.ts"
import { wirePayment } from "../../src/payments/wire-payload.ts"
import { PRICE_ATOMIC, sampleTerms, taggedSignature } from "../fixtures/authorizations.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../fixtures/chain.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const { payer, secondPayer, relayer } = DEV_ACCOUNTS
/** Only what is compared member by member is signed at this time. */
const NOW = 1_795_000_000 * SECOND
const EXPIRES_AT = Math.floor(Date.now() / SECOND) + 900
const NONCE = Uint8Array.from({ length: 32 }, (_, place) => place * 7)
const FIXED = { now: () => NOW, random: () => NONCE }
const REAL = { now: () => Date.now(), random: (length: number) => crypto.getRandomValues(new Uint8Array(length)) }

type Typed = Parameters<Wallet["signTypedData"]>[0]
type OfficialSigner = ConstructorParameters<typeof Signing>[0]

let chain: Chain
let contract: Address

beforeAll(async () => {
  chain = await startChain()
  contract = await chain.deployWallet1271(payer.address)
  const { address } = secondPayer
  await chain.setCode(address, `0xef0100${contract.slice(2).toLowerCase()}`)
  // The delegate's code reads the owner from the storage of the account.
  const node = createTestClient({ mode: "anvil", transport: http(chain.url) })
  await node.setStorageAt({ address, index: 0, value: pad(payer.address) })
  for (const account of [payer.address, address, contract]) await chain.mint(account, 10n * PRICE_ATOMIC)
})
afterAll(() => chain.stop())

/** A wallet that counts what it signs. Without `from` it pays itself, else it signs for a contract that it owns. */
function walletOf(from?: Address) {
  const typed: Typed[] = []
  const wallet: Wallet = {
    address: from ?? payer.address,
    signTypedData: async (data) => {
      typed.push(data)
      const signature = await payer.signTypedData(data)
      return from ? taggedSignature(signature) : signature
    },
  }
  return { wallet, typed }
}

function quoteOn(asset: Asset): { required: PaymentRequired; terms: QuoteTerms } {
  const requirements: PaymentRequirements = sampleTerms({
    network: asset.network,
    asset: asset.address,
    extra: {
      ...{ name: asset.name, version: asset.version, assetTransferMethod: "eip3009" },
      ...{ bodyDigest: `sha256:${"0".repeat(64)}`, quoteId: "q", quoteExpiresAt: EXPIRES_AT },
    },
  })
  const required: PaymentRequired = {
    x402Version: 2,
    error: "payment required",
    resource: { url: "https://decisions.example/v1/us/company-check", description: "für Käufer", mimeType: null },
    accepts: [requirements],
    extensions: { bazaar: { info: { input: { type: "http" } }, schema: { type: "object" } } },
  }
  const terms = { requirements, asset, amountAtomic: PRICE_ATOMIC, expiresAt: EXPIRES_AT }
  return { required, terms }
}

/** The header of the official client, at the fixed time and with the fixed nonce. */
async function official(required: PaymentRequired, { network }: Asset, wallet: Wallet): Promise<string> {
  const client = x402Client.fromConfig({
    schemes: [{ network, client: new Signing(wallet as unknown as OfficialSigner) }],
    spendControls: false,
  })
  const encoder = new x402HTTPClient(client)
  const random = spyOn(crypto, "getRandomValues").mockImplementation(<Filled>(array: Filled) => {
    if (array instanceof Uint8Array) array.set(NONCE)
    return array
  })
  setSystemTime(NOW)
  try {
    const offered = required as Parameters<typeof encoder.createPaymentPayload>[0]
    const headers = encoder.encodePaymentSignatureHeader(await encoder.createPaymentPayload(offered))
    return headers["PAYMENT-SIGNATURE"] ?? ""
  } finally {
    setSystemTime()
    random.mockRestore()
  }
}

const WALLETS = [
  ["a key", () => walletOf()],
  ["an ERC-1271 wallet", () => walletOf(contract)],
  ["an account with an EIP-7702 delegation", () => walletOf(secondPayer.address)],
] as const
const jsonOf = (header: string) => JSON.parse(Buffer.from(header, "base64").toString()) as Record<string, unknown>

test("the signed type is the official one", () => {
  expect(TRANSFER_TYPES).toEqual(authorizationTypes)
})

describe.each(NETWORKS.map(({ asset }) => [asset.network, asset] as const))("%s", (_, asset) => {
  test.each(WALLETS)("%s signs the same as with the official client, and sends the same header", async (_, open) => {
    const { required, terms } = quoteOn(asset)
    const [ours, theirs] = [open(), open()]
    const header = await signPayment(required, terms, ours.wallet, FIXED)
    const expected = await official(required, asset, theirs.wallet)
    expect(ours.typed.length).toBe(1)
    expect(ours.typed).toEqual(theirs.typed)
    const [members, officialMembers] = [jsonOf(header), jsonOf(expected)]
    expect(Object.keys(members)).toEqual(Object.keys(officialMembers))
    for (const name of Object.keys(officialMembers))
      expect([name, members[name]]).toEqual([name, officialMembers[name]])
    expect(header).toBe(expected)
  })

  test("an address in lower case is signed as the same address", async () => {
    const { required, terms } = quoteOn(asset)
    const lower = { ...terms.requirements, payTo: terms.requirements.payTo.toLowerCase() }
    const [ours, theirs] = [walletOf(), walletOf()]
    const header = await signPayment(required, { ...terms, requirements: lower }, ours.wallet, FIXED)
    const expected = await official({ ...required, accepts: [lower] }, asset, theirs.wallet)
    const signatureIn = (text: string) => (jsonOf(text)["payload"] as { signature: Hex }).signature
    expect(signatureIn(header)).toBe(signatureIn(expected))
  })

  test("the official verifier accepts it, and refuses it with another nonce", async () => {
    const { required, terms } = quoteOn(asset)
    const header = await signPayment(required, terms, walletOf().wallet, REAL)
    expect(checkedPayment(header, terms, payer.address)).toBe(header)
    const official = new Verifying(keyOnly(asset))
    const { paymentPayload, paymentRequirements } = wirePayment(authorizationIn(header, terms), terms.requirements)
    expect(await official.verify(paymentPayload, paymentRequirements)).toMatchObject({ isValid: true })
    const other = { ...authorizationIn(header, terms), nonce: `0x${"7".repeat(64)}` as Hex }
    const changed = wirePayment(other, terms.requirements)
    expect(await official.verify(changed.paymentPayload, paymentRequirements)).toMatchObject({ isValid: false })
  })
})

/** The signer of a verifier that sees no account with code except the asset. */
function keyOnly(asset: Asset) {
  const never = () => {
    throw new TypeError("verification never writes")
  }
  return toFacilitatorEvmSigner({
    address: relayer.address,
    getCode: async ({ address }) => (address.toLowerCase() === asset.address.toLowerCase() ? "0x01" : "0x"),
    readContract: async () => undefined,
    verifyTypedData: never,
    writeContract: never,
    sendTransaction: never,
    waitForTransactionReceipt: never,
  })
}

function authorizationIn(header: string, { requirements }: QuoteTerms) {
  const presented = readPaymentHeader(new Headers({ "payment-signature": header }))
  if (presented === null || typeof presented === "string") throw new Error(presented ?? "no payment")
  const checked = checkAuthorization(presented.payload, requirements, null)
  if (!checked.ok) throw new Error(checked.reason)
  return checked.authorization
}

describe("on a chain", () => {
  test.each(WALLETS)("%s is accepted by the official verifier and by the service", async (_, open) => {
    const { required, terms } = quoteOn(BASE.asset)
    const authorization = authorizationIn(await signPayment(required, terms, open().wallet, REAL), terms)
    const client = chain.publicClient
    const never = () => {
      throw new TypeError("verification never writes")
    }
    const signer = toFacilitatorEvmSigner({
      address: relayer.address,
      getCode: (question) => client.getCode(question),
      readContract: (question) => client.readContract(question as Parameters<typeof client.readContract>[0]),
      verifyTypedData: (question) => client.verifyTypedData(question as Parameters<typeof client.verifyTypedData>[0]),
      writeContract: never,
      sendTransaction: never,
      waitForTransactionReceipt: never,
    })
    const { paymentPayload, paymentRequirements } = wirePayment(authorization, terms.requirements)
    expect(await new Verifying(signer).verify(paymentPayload, paymentRequirements)).toMatchObject({ isValid: true })
    const opened = openChain({ rpcUrl: chain.url, network: BASE, timeoutMs: 5_000 })
    expect(await verifyPayment(opened, authorization, terms.requirements, relayer.address)).toMatchObject({
      isValid: true,
    })
  })

  test("a wallet's owner cannot sign for the wallet in the plain form", async () => {
    const { required, terms } = quoteOn(BASE.asset)
    const plain: Wallet = { address: contract, signTypedData: (data) => payer.signTypedData(data) }
    const authorization = authorizationIn(await signPayment(required, terms, plain, REAL), terms)
    const opened = openChain({ rpcUrl: chain.url, network: BASE, timeoutMs: 5_000 })
    expect(await verifyPayment(opened, authorization, terms.requirements, relayer.address)).toMatchObject({
      isValid: false,
    })
  })
})
