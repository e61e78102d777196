/** A Markdown file that is embedded in the binary: the module's value is its path. */
declare module "*.md" {
  const path: string
  // biome-ignore lint/style/noDefaultExport: the shape Bun gives a file import
  export default path
}
