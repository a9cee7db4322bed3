/** The 22 monsters of the released graph (arXiv 2506.17589). Folders and question rows may add others. */
export const releasedMonsters: readonly string[] = Object.freeze([
  "Anjanath",
  "Azure Rathalos",
  "Barroth",
  "Bazelgeuse",
  "Brachydios",
  "Diablos",
  "Frostfang Barioth",
  "Glavenus",
  "Kushala Daora",
  "Legiana",
  "Lunastra",
  "Nargacuga",
  "Nergigante",
  "Pink Rathian",
  "Radobaan",
  "Rathalos",
  "Rathian",
  "Stygian Zinogre",
  "Teostra",
  "Tigrex",
  "Yian Garuga",
  "Zinogre",
]);

/** Entities that every graph has, whatever its sheets say: elements that weapons and attacks carry. */
export const fixedElements: readonly string[] = Object.freeze([
  ...["None", "Fire", "Water", "Thunder", "Ice", "Dragon", "Blast", "Poison"].map((name) => `${name} Element Weapon`),
  ...["Fire", "Water", "Thunder", "Ice", "Dragon", "Sleep"].map((name) => `${name} Element`),
]);

const isShared = (cell: string): boolean => cell.includes("Element") || cell.includes("Pierce Pod");

/**
 * The naming rule: a name in a monster's sheet or route stands for `<monster> <name>`, except for the monster itself, elements and the
 * Pierce Pod, which all monsters share.
 */
export class Naming {
  constructor(private readonly monsters: ReadonlySet<string>) {}

  isMonster(name: string): boolean {
    return this.monsters.has(name);
  }

  /** Of a row of Node.xlsx. Another monster's name is prefixed here, unlike in relations: such an entity has no edges. */
  node(monster: string, cell: string): string {
    return cell === monster || isShared(cell) ? cell : `${monster} ${cell}`;
  }

  /** Of a head or tail in Relations.xlsx: another monster's name stands for that monster. */
  end(monster: string, cell: string): string {
    return this.monsters.has(cell) ? cell : this.node(monster, cell);
  }

  /** Of the nodes of one route. Past another monster's name the others belong to it. */
  route(monster: string, cells: readonly string[]): string[] {
    let current = monster;
    return cells.map((cell) => {
      if (this.monsters.has(cell)) current = cell;
      return this.end(current, cell);
    });
  }

  /** Kind of the entity with this id, as far as its name tells: what the walk's phase rule and controls by kind look at. */
  kind(id: string): string {
    if (this.monsters.has(id)) return "monster";
    if (id.includes("Element")) return "element";
    if (id.includes("Pierce Pod")) return "item";
    return id.includes("Phase") ? "phase" : "";
  }
}
