/** A data file of the tokenizer's package: the bundler copies it, and the import is its path. */
declare module "*.tiktoken" {
  const path: string;
  export default path;
}
