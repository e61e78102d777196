/** Calls that present the same authorization at the same time: each may answer from rows that are older than what another one wrote. */
export interface OpenCall {
  /** Another one was open at the same time. */
  hasCompany: boolean
}

export class OpenCalls {
  private readonly open = new Map<string, Set<OpenCall>>()

  /** `key`: of the authorization. A call whose process dies is never ended, because what it sent to the database may arrive later. */
  begin(key: string): OpenCall {
    const others = this.open.get(key) ?? new Set()
    for (const other of others) other.hasCompany = true
    const call: OpenCall = { hasCompany: others.size > 0 }
    this.open.set(key, others.add(call))
    return call
  }

  end(key: string, call: OpenCall): void {
    this.open.get(key)?.delete(call)
  }
}
