/** What a settlement reference names: the job in its contract, and the transaction that funded it. */
interface SettledJob {
  readonly chainId: number
  readonly escrowContract: string
  readonly onChainJobId: string
}

/** Returns the `billing.settlement_reference` of a decision that an ACP job paid: `eip155:8453/0x…/job/7#0x…`. */
export function settlementReference({ chainId, escrowContract, onChainJobId }: SettledJob, fundingTx: string): string {
  return `eip155:${chainId}/${escrowContract.toLowerCase()}/job/${onChainJobId}#${fundingTx.toLowerCase()}`
}
