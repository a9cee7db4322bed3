import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Image, namesIn } from "../core/index.js";
import { imageFile } from "../graph/index.js";

export const pictureExtensions = [".jpg", ".jpeg", ".png", ".webp"];

/** A folder of pictures, listed once. */
export class Pictures {
  private constructor(
    readonly root: string,
    private readonly names: ReadonlySet<string>,
  ) {}

  static async in(root: string): Promise<Pictures> {
    return new Pictures(root, new Set(await namesIn("pictures", root)));
  }

  /**
   * The picture of an entity by the released rule: `<id>.jpg`, `.jpeg`, `.png` or `.webp`, in this order, else the first such file by name in the folder
   * `<id>/`; and where there is neither, the file that its rows name. At most one.
   */
  async ofEntity(id: string, stated: string | undefined): Promise<Image[]> {
    for (const extension of pictureExtensions)
      if (this.names.has(`${id}${extension}`)) return [imageFile(this.root, `${id}${extension}`)];
    if (this.names.has(id) && (await stat(join(this.root, id))).isDirectory()) {
      const names = await namesIn("pictures", join(this.root, id));
      const name = names.find((one) => pictureExtensions.some((extension) => one.endsWith(extension)));
      if (name !== undefined) return [imageFile(this.root, `${id}/${name}`)];
    }
    const image = stated === undefined ? undefined : await this.file(stated);
    return image ? [image] : [];
  }

  /** All pictures of an entity: `<id>.<extension>`, then those in its folder and in that of the path which its rows name, by name. */
  async allOf(id: string, stated = ""): Promise<Image[]> {
    const own = pictureExtensions.map((extension) => `${id}${extension}`).filter((name) => this.names.has(name));
    const beside = stated.includes("/") ? stated.slice(0, stated.indexOf("/")) : id;
    const folders = await Promise.all([...new Set([id, beside])].map((folder) => this.#within(folder)));
    return [...own, ...folders.flat()].map((path) => imageFile(this.root, path));
  }

  async #within(folder: string): Promise<string[]> {
    if (!this.names.has(folder) || !(await stat(join(this.root, folder))).isDirectory()) return [];
    const names = await namesIn("pictures", join(this.root, folder));
    return names.filter((name) => pictureExtensions.some((e) => name.endsWith(e))).map((name) => `${folder}/${name}`);
  }

  /** The picture at a path below the folder, if it is there. The first component must stand in the folder, so that a path cannot lead out. */
  async file(path: string, place?: string): Promise<Image | undefined> {
    const parts = path.split("/");
    if (path === "" || parts.includes("..") || path.includes("\\") || !this.names.has(parts[0] as string))
      return undefined;
    const there = await stat(join(this.root, path)).then(
      (info) => info.isFile(),
      () => false,
    );
    return there ? imageFile(this.root, path, place === undefined ? {} : { place }) : undefined;
  }

  /** The first of the paths below the folder at which a file is; `place` stands in the errors of reading it. */
  async first(paths: readonly string[], place?: string): Promise<Image | undefined> {
    for (const path of paths) {
      const image = await this.file(path, place);
      if (image) return image;
    }
    return undefined;
  }
}
