/**
 * Returns the address by which a client shares a cap with others: an IPv4 address as it is, the /48 of an IPv6 /64. One customer of a
 * provider often has a whole /48. `client`: the rate-limit key of a request.
 */
export function sharedAddress(client: string): string {
  const groups = /^([0-9a-f:]+)::\/64$/.exec(client)?.[1]?.split(":")
  return groups ? `${groups.slice(0, 3).join(":")}::/48` : client
}
