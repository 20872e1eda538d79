// Makes the folder that the container image consists of:
//   node deploy/image/root.mjs dist/sluice FOLDER
// FOLDER/program has the executable and the libraries that it names; FOLDER/data is the empty
// data folder. For Node, because the build image has nothing else.
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const USER = 65_532;
const [executable, folder] = process.argv.slice(2);
if (executable === undefined || folder === undefined) {
  process.stderr.write("Usage: node deploy/image/root.mjs EXECUTABLE FOLDER\n");
  process.exit(2);
}

const program = join(folder, "program");
add(executable, "usr/bin/sluice");
for (const library of librariesOf(executable)) add(library, library);
mkdirSync(join(program, "etc"), { recursive: true });
writeFileSync(join(program, "etc/passwd"), `sluice:x:${USER}:${USER}:sluice:/data:/nologin\n`);
writeFileSync(join(program, "etc/group"), `sluice:x:${USER}:\n`);
mkdirSync(join(program, "tmp"), { recursive: true });
chmodSync(join(program, "tmp"), 0o1777);
mkdirSync(join(folder, "data"), { recursive: true });

function add(from, to) {
  const path = join(program, to);
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(from, path);
  chmodSync(path, 0o755);
}

/** The libraries of `ldd`, with those that name resolution loads later. */
function librariesOf(path) {
  const { status, stdout, stderr } = spawnSync("ldd", [path], { encoding: "utf8" });
  if (status !== 0) {
    process.stderr.write(`ldd cannot read ${path}: ${stderr}`);
    process.exit(1);
  }
  const named = stdout.split("\n").flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);
  const libc = named.find((each) => each.endsWith("/libc.so.6"));
  const later =
    libc === undefined ? [] : ["libnss_dns.so.2", "libnss_files.so.2", "libresolv.so.2"];
  return [...named, ...later.map((each) => join(dirname(libc), each))];
}
