/** Signs the provider's wallet in at the hub, and keeps the token in memory. */
import type { Address, Hex } from "viem"
import type { Machine } from "../../base/machine.ts"

/** The two schemes that hubs are known to take. */
export type SignInScheme = "eip712" | "personal_sign"

/** The wallet, as viem's local accounts have it. */
export interface HubAccount {
  readonly address: Address
  signMessage(parameters: { message: string }): Promise<Hex>
  signTypedData(parameters: ReturnType<typeof typedSignIn>): Promise<Hex>
}

export function typedSignIn(wallet: Address, chainId: number, issuedAt: number) {
  return {
    domain: { name: "ACP", version: "1", chainId },
    types: {
      AgentAuth: [
        { name: "wallet", type: "address" },
        { name: "chainId", type: "uint256" },
        { name: "issuedAt", type: "uint256" },
      ],
    },
    primaryType: "AgentAuth",
    message: { wallet, chainId: BigInt(chainId), issuedAt: BigInt(issuedAt) },
  } as const
}

/** The body of `POST /auth/agent`. `at` in milliseconds. */
export async function signInBody(scheme: SignInScheme, account: HubAccount, chainId: number, at: number) {
  const walletAddress = account.address
  if (scheme === "eip712") {
    const signature = await account.signTypedData(typedSignIn(walletAddress, chainId, at))
    return { walletAddress, signature, issuedAt: at, chainId }
  }
  const message = `acp-auth:${at}`
  return { walletAddress, signature: await account.signMessage({ message }), message, chainId }
}

/** A token is renewed this long before it ends. */
const RENEW_BEFORE_MS = 60_000
/** CHOICE: a token without a readable end is used for this long. */
const LIFE_MS = 10 * 60_000

/** Keeps one token. Questions that need one at the same time share one sign-in. */
export class HubToken {
  private current: { readonly token: string; readonly until: number } | null = null
  private underway: Promise<string> | null = null

  constructor(
    private readonly machine: Pick<Machine, "now">,
    private readonly signIn: (at: number) => Promise<string>,
  ) {}

  get(): Promise<string> {
    const now = this.machine.now()
    if (this.current && now < this.current.until) return Promise.resolve(this.current.token)
    this.underway ??= this.renew(now).finally(() => {
      this.underway = null
    })
    return this.underway
  }

  /** The hub refused this token. */
  drop(token: string): void {
    if (this.current?.token === token) this.current = null
  }

  private async renew(now: number): Promise<string> {
    const token = await this.signIn(now)
    const ends = endOf(token)
    // A clock that runs ahead may see every token as expired: then it signs in for each question.
    this.current = { token, until: ends === null ? now + LIFE_MS : Math.min(ends - RENEW_BEFORE_MS, now + LIFE_MS) }
    return token
  }
}

/** The `exp` of a JWT in milliseconds, or null. It is a hint: nothing here trusts the token. */
function endOf(token: string): number | null {
  try {
    const payload = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")) as unknown
    const { exp } = payload as { readonly exp?: unknown }
    return typeof exp === "number" && Number.isSafeInteger(exp) ? exp * 1000 : null
  } catch {
    return null
  }
}
