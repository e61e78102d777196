/** The builds whose deliveries are stored. Every test over all builds reads this list. */

interface Build {
  /** The folder beside this file. */
  readonly name: string
  /** Digest of its `build.json`, which holds the digest of every document. */
  readonly list: string
  /** Version of the policies of the answer products that it stores every decision of. */
  readonly policies: string
  /** `PRODUCT CASE` of each delivery about a company of which neither the request nor the register says a name. */
  readonly unnamed: readonly string[]
}

/** The oldest first. Builds are added and never changed. */
export const STORED_BUILDS: readonly Build[] = [
  {
    name: "first-build",
    list: "sha256:9b3002486a714c262b3946291ca84efffd3d5137eb71d6d9cc20581b9f6ce0b6",
    policies: "1.0.0",
    unnamed: ["gb.vendor.payment_detail_change.authorize.v1 block-not-in-file"],
  },
  {
    name: "second-build",
    list: "sha256:eea0b847eb0958df65e028bff042d101a0e2fee2eefb18543c9bfd80ebeadfc6",
    policies: "1.1.0",
    unnamed: ["gb.vendor.payment_detail_change.authorize.v1 review-not-in-file"],
  },
  {
    name: "third-build",
    list: "sha256:3e981d1186fafcc1648175d84b1807d0a8bb005d161358653d282c1bf35296d3",
    policies: "1.2.0",
    unnamed: ["gb.vendor.payment_detail_change.authorize.v1 review-not-in-file"],
  },
]
