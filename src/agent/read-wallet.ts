import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { CommandError, EXIT } from "../base/exit.ts"
import { ownerOnlyBytes } from "./key-file.ts"

/** Reads a file with 0x and 64 hex digits. Throws CommandError: 5 missing, 6 readable by others, 3 not a key. */
export function readWallet(path: string): PrivateKeyAccount {
  const key = new TextDecoder().decode(ownerOnlyBytes(path)).trim()
  const fault = new CommandError(EXIT.INVALID, `${path} does not hold one private key, 0x and 64 hex digits`)
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw fault
  try {
    return privateKeyToAccount(key as `0x${string}`)
  } catch {
    // Zero, or not below the curve's order. The library's message may quote the key, so do not pass it on.
    throw fault
  }
}
