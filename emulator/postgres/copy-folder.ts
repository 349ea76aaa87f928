import { constants } from "node:fs";
import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Copies a folder whose files may change meanwhile and go. `skips` says what is left out, by its path below the folder;
 * of a folder that is left out, the folder itself stays.
 */
export async function copyFolder(
  from: string,
  to: string,
  skips: (path: string) => boolean = () => false,
  path = "",
): Promise<void> {
  const source = join(from, path);
  const target = join(to, path);
  await mkdir(target, { recursive: true, mode: 0o700 });
  const entries = await readdir(source, { withFileTypes: true });
  const copies = entries.map(async (entry) => {
    const below = join(path, entry.name);
    if (entry.isDirectory()) {
      if (!skips(below)) return copyFolder(from, to, skips, below);
      await mkdir(join(to, below), { mode: 0o700 });
    } else if (entry.isFile() && !skips(below)) {
      await copyFile(join(from, below), join(to, below), constants.COPYFILE_FICLONE).catch(ifGone);
    }
  });
  await Promise.all(copies);
}

function ifGone(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
