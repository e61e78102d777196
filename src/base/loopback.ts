/** True for the host name of a URL (IPv6 in brackets) that cannot leave this machine. */
export function isLoopbackName(hostname: string): boolean {
  return /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/.test(hostname)
}
