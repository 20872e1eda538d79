/** The built console or documentation; the path of its file. */
declare module "*.pack" {
  const path: string;
  export default path;
}
