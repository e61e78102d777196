import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { toFacilitatorEvmSigner } from "@x402/evm"
import { ExactEvmScheme } from "@x402/evm/exact/facilitator"
import { type Address, type Hex, keccak256, toHex } from "viem"
import { type Authorization, checkAuthorization } from "../../src/payments/authorization.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { openChain } from "../../src/payments/rpc.ts"
import { transferCall } from "../../src/payments/transfer-call.ts"
import { verifyPayment } from "../../src/payments/verify-payment.ts"
import { wirePayment } from "../../src/payments/wire-payload.ts"
import {
  cancelCall,
  PLAIN_FORMS,
  type SigningOptions,
  sampleTerms,
  signPayment,
  taggedSignature,
} from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS, startChain } from "../fixtures/chain.ts"
import { startRpcProxy } from "../fixtures/rpc-proxy.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const { payer, secondPayer, stranger, relayer, payTo } = DEV_ACCOUNTS
const chain = await startChain()
const proxy = startRpcProxy(chain.url)
const opened = openChain({ rpcUrl: proxy.url, network: BASE, timeoutMs: 5_000 })
const terms = sampleTerms()
let wallet: Address

beforeAll(async () => {
  wallet = await chain.deployWallet1271(payer.address)
  for (const account of [payer.address, wallet]) await chain.mint(account, 10_000_000n)
})
afterEach(() => proxy.reset())
afterAll(() => Promise.all([proxy.stop(), chain.stop()]))

async function signed(options: SigningOptions = {}, signer = payer): Promise<Authorization> {
  const now = await chain.now()
  const checked = checkAuthorization(await signPayment(signer, terms, now, options), terms, null)
  if (!checked.ok) throw new Error(checked.reason)
  return checked.authorization
}
const verify = (authorization: Authorization) => verifyPayment(opened, authorization, terms, relayer.address)
const walletPayment = (changes: SigningOptions = {}) => signed({ from: wallet, wrap: taggedSignature, ...changes })
const invalid = (reason: string) => ({ isValid: false, reason, payerCodeHash: null }) as const

/** The verifier of x402, which reads the system clock. Its state reads get no answer that could change the verdict. */
async function isOfficiallyValid(authorization: Authorization): Promise<boolean> {
  const never = () => {
    throw new TypeError("verification never writes")
  }
  const signer = toFacilitatorEvmSigner({
    address: authorization.to,
    getCode: async ({ address }) => (address.toLowerCase() === BASE.asset.address.toLowerCase() ? "0x01" : "0x"),
    readContract: async () => undefined,
    verifyTypedData: never,
    writeContract: never,
    sendTransaction: never,
    waitForTransactionReceipt: never,
  })
  const { paymentPayload, paymentRequirements } = wirePayment(authorization, terms)
  return (await new ExactEvmScheme(signer).verify(paymentPayload, paymentRequirements)).isValid
}

describe("a payer without code", () => {
  test("is valid, and no part of the signature leaves the process", async () => {
    const authorization = await signed()
    expect(await verify(authorization)).toMatchObject({ isValid: true, payerHasCode: false, payerCodeHash: null })
    const sent = proxy.calls.map((call) => call.body).join("\n")
    expect(sent).toContain("eth_call")
    expect(sent).not.toContain(authorization.signature.slice(2, 66))
    expect(sent).not.toContain(authorization.signature.slice(66, 130))
  })

  test("with a signature by another key is refused", async () => {
    const forged = await signed({ from: payer.address }, stranger)
    expect(await verify(forged)).toEqual(invalid("invalid_exact_evm_signature"))
  })

  test("with any signed field changed is refused", async () => {
    const authorization = await signed()
    const changes: Partial<Authorization>[] = [
      { validAfter: 1 },
      { validBefore: authorization.validBefore + 1 },
      { nonce: toHex(7, { size: 32 }) },
    ]
    for (const change of changes) {
      expect(await verify({ ...authorization, ...change })).toEqual(invalid("invalid_exact_evm_signature"))
    }
  })

  test("gets the verdict of the official verifier while all clocks agree", async () => {
    const authorization = await signed()
    const nonce = toHex(8, { size: 32 })
    const { signature } = await signed({ from: payer.address }, stranger)
    for (const one of [authorization, { ...authorization, nonce }, { ...authorization, signature }]) {
      const verification = await verify(one)
      expect("isValid" in verification && verification.isValid).toBe(await isOfficiallyValid(one))
    }
  })

  test.each(PLAIN_FORMS)("may sign with %s", async (_, wrap) => {
    for (let round = 0; round < 4; round++) {
      expect(await verify(await signed({ wrap }))).toMatchObject({ isValid: true, payerHasCode: false })
      expect(await verify(await signed({ from: payer.address, wrap }, stranger))).toEqual(
        invalid("invalid_exact_evm_signature"),
      )
    }
  })

  test("with a signature form that USDC rejects is refused before it costs gas", async () => {
    const { signature, ...rest } = await signed()
    const v = signature.slice(130)
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const twin = toHex(order - BigInt(`0x${signature.slice(66, 130)}`), { size: 32 }).slice(2)
    const forms: Hex[] = [
      `${signature.slice(0, 66)}${twin}${v === "1b" ? "1c" : "1b"}` as Hex,
      `${signature.slice(0, 66)}${twin}${v === "1b" ? "01" : "00"}` as Hex,
      `${signature.slice(0, 66)}${twin}` as Hex,
      `${signature.slice(0, 130)}02` as Hex,
      `${signature}00` as Hex,
    ]
    for (const form of forms) {
      expect(await verify({ ...rest, signature: form })).toEqual(invalid("invalid_exact_evm_signature"))
    }
  })

  test("with too little money is refused for that reason", async () => {
    expect(await verify(await signed({}, secondPayer))).toEqual(invalid("invalid_exact_evm_insufficient_balance"))
  })

  test("with a used or cancelled nonce gets its own result, so that the caller can reconcile it", async () => {
    const used = await signed()
    await chain.send(stranger, { to: BASE.asset.address, data: transferCall(used) })
    const atHead = async () => ({
      ...invalid("nonce_already_used"),
      usedBlock: (await opened.primary.block("latest")).number,
    })
    expect(await verify(used)).toEqual(await atHead())
    const cancelled = await signed()
    await chain.send(stranger, { to: BASE.asset.address, data: await cancelCall(payer, cancelled.nonce) })
    expect(await verify(cancelled)).toEqual(await atHead())
  })

  test("is refused while USDC is paused or blacklists payer or payee", async () => {
    const authorization = await signed()
    const refused = invalid("invalid_exact_evm_transaction_simulation_failed")
    await chain.setPaused(true)
    expect(await verify(authorization)).toEqual(refused)
    await chain.setPaused(false)
    for (const account of [payer.address, payTo.address]) {
      await chain.setBlacklisted(account, true)
      expect(await verify(authorization)).toEqual(refused)
      await chain.setBlacklisted(account, false)
    }
    expect(await verify(authorization)).toMatchObject({ isValid: true })
  })

  test("cannot be checked while the node does not respond, and that is not a refusal", async () => {
    const authorization = await signed()
    for (const method of ["eth_getCode", "eth_call"]) {
      proxy.reset()
      proxy.fault(method, { reject: true })
      expect(await verify(authorization)).toEqual({ unavailable: true })
    }
  })
})

describe("a payer with code", () => {
  test("pays with a 66-byte ERC-1271 signature and is identified by the hash of its code", async () => {
    const code = (await opened.primary.code(wallet)) ?? "0x"
    expect(await verify(await walletPayment())).toMatchObject({
      isValid: true,
      payerHasCode: true,
      payerCodeHash: keccak256(code),
    })
  })

  test("is refused when the wallet does not accept the signature, even if its owner's plain signature is given", async () => {
    const reason = "invalid_exact_evm_signature"
    expect(await verify(await signed({ from: wallet }))).toMatchObject({ isValid: false, reason })
    const foreign = await signed({ from: wallet, wrap: taggedSignature }, stranger)
    expect(await verify(foreign)).toMatchObject({ isValid: false, reason })
  })

  test("shows its signature to the node only after the state reads passed", async () => {
    const authorization = await walletPayment({ from: await chain.deployWallet1271(payer.address) })
    expect(await verify(authorization)).toMatchObject({ reason: "invalid_exact_evm_insufficient_balance" })
    expect(proxy.calls.map((call) => call.body).join("\n")).not.toContain(authorization.signature.slice(4, 68))
  })

  test("gets the result of a used nonce when somebody brings the payment to the chain before the simulation", async () => {
    const authorization = await walletPayment()
    const data = transferCall(authorization)
    const submitBefore = async ([call]: readonly unknown[]) => {
      if ((call as { data: Hex }).data === data) await chain.send(stranger, { to: BASE.asset.address, data })
      return false
    }
    proxy.fault("eth_call", { when: submitBefore })
    expect(await verify(authorization)).toMatchObject({ isValid: false, reason: "nonce_already_used" })
  })

  test("cannot be checked while the node does not respond to the simulation, and that is not an invalid signature", async () => {
    const authorization = await walletPayment()
    let requests = 0
    // The five state reads succeed; the next call is the signature check.
    proxy.fault("eth_call", {
      get reject() {
        return ++requests > 5
      },
    })
    expect(await verify(authorization)).toEqual({ unavailable: true })
    expect(requests).toBeGreaterThan(5)
  })

  test("that burns millions of gas in its signature check is refused", async () => {
    const burner = await chain.deployGasBurner(9_600_000n)
    await chain.mint(burner, 10_000_000n)
    expect(await verify(await signed({ from: burner }))).toMatchObject({
      isValid: false,
      reason: "invalid_exact_evm_signature",
    })
  })

  test("with an EIP-7702 delegation is checked through its delegate, never by ECDSA", async () => {
    await chain.mint(secondPayer.address, 10_000_000n)
    const delegate = wallet.slice(2).toLowerCase()
    await chain.setCode(secondPayer.address, `0xef0100${delegate}`)
    const plain = await signed({}, secondPayer)
    const verification = await verify(plain)
    await chain.setCode(secondPayer.address, "0x")
    expect(verification).toMatchObject({ isValid: false, reason: "invalid_exact_evm_signature" })
    expect(verification).toMatchObject({ payerCodeHash: keccak256(`0xef0100${delegate}`) })
    expect(await verify(plain)).toMatchObject({ isValid: true, payerHasCode: false })
  })
})
