import { constants } from "node:fs";
import { chown, copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Account } from "./account";

/**
 * Copies a folder whose files may change meanwhile and go. `skips` says what is left out, by its path below the folder;
 * of a folder that is left out, the folder itself stays.
 */
export async function copyFolder(
  from: string,
  to: string,
  account: Account | undefined,
  skips: (path: string) => boolean = () => false,
  path = "",
): Promise<void> {
  const source = join(from, path);
  const target = join(to, path);
  await mkdir(target, { recursive: true, mode: 0o700 });
  await own(target, account);
  const entries = await readdir(source, { withFileTypes: true });
  const copies = entries.map(async (entry) => {
    const below = join(path, entry.name);
    if (entry.isDirectory()) {
      if (!skips(below)) return copyFolder(from, to, account, skips, below);
      await mkdir(join(to, below), { mode: 0o700 });
      await own(join(to, below), account);
    } else if (entry.isFile() && !skips(below)) {
      await copyFile(join(from, below), join(to, below), constants.COPYFILE_FICLONE).then(
        () => own(join(to, below), account),
        ifGone,
      );
    }
  });
  await Promise.all(copies);
}

/** Gives a file or folder to the account that the servers run as. */
export async function own(path: string, account: Account | undefined): Promise<void> {
  if (account) await chown(path, account.uid, account.gid);
}

function ifGone(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
