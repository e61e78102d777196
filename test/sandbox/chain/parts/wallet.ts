/** A payer with code: an ERC-1271 wallet. A function replaces its contract; no byte code runs. */
import { type Address, decodeFunctionData, encodeFunctionResult, type Hex, parseAbi } from "viem"
import type { Contract, Effect, Surroundings } from "../../../../src/sandbox/chain/contract.ts"

interface WalletQuestion {
  readonly digest: Hex
  readonly signature: Hex
  /** The signer of the 65-byte signature, or, when it has 66 bytes, of the 65 bytes after a tag byte 0x01. Null when nobody signed it. */
  readonly signer: Address | null
}

interface Wallet {
  /** What `eth_getCode` returns. Any bytes but "0x". */
  readonly code: Hex
  /** Whether `isValidSignature` returns ERC-1271's magic value. Must depend only on the query. */
  accepts(question: WalletQuestion): boolean
  /** Gas that one signature check burns. `withFee`: the call pays a gas price. */
  gas(withFee: boolean): bigint
}

const WALLET_ABI = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"])
const NOTHING: Effect = { isSuccess: true, gas: 0n, events: [], output: "0x" }

function walletCode(wallet: Wallet): Contract {
  return { code: wallet.code, run: (data, _, around) => askWallet(wallet, data, around) }
}

function askWallet(wallet: Wallet, data: Hex, { signatures, withFee }: Surroundings): Effect {
  if (data === "0x") return NOTHING
  const gas = wallet.gas(withFee)
  let digest: Hex
  let signature: Hex
  try {
    ;[digest, signature] = decodeFunctionData({ abi: WALLET_ABI, data }).args
  } catch {
    // For any wrong calldata the wallet has no such function.
    return { isSuccess: false, gas: 1_000n, reason: null }
  }
  const isAccepted = wallet.accepts({ digest, signature, signer: signatures.signerOf(digest, signature) })
  const result = isAccepted ? "0x1626ba7e" : "0xffffffff"
  const output = encodeFunctionResult({ abi: WALLET_ABI, functionName: "isValidSignature", result })
  return { isSuccess: true, gas, events: [], output }
}

/** A wallet whose signature is the tag byte 0x01 and its owner's 65 bytes. */
export function ownedWallet(owner: Address): Contract {
  const expected = owner.toLowerCase()
  return walletCode({
    code: `0x60${owner.slice(2).toLowerCase()}`,
    accepts: ({ signature, signer }) => signature.length === 134 && signature.startsWith("0x01") && signer === expected,
    gas: () => 6_000n,
  })
}

/**
 * A hostile wallet: every signature is valid, and the check burns gas of the transaction's sender. With `onlyWithFee` it is cheap in a call
 * without a gas price, to pass an estimate that leaves the fee out.
 */
export function gasBurner(burned: bigint, { onlyWithFee = false } = {}): Contract {
  return walletCode({
    code: `0x61${burned.toString(16).padStart(8, "0")}${onlyWithFee ? "01" : "00"}`,
    accepts: () => true,
    gas: (withFee) => (onlyWithFee && !withFee ? 1_000n : burned),
  })
}
