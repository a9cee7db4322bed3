import type { Image } from "../../core/index.js";
import type { Entity } from "../../graph/index.js";
import { withArticle } from "./captions.js";
import type { Clip } from "./questions.js";
import { elements, habitats, hazards, statuses, weapons } from "./vocabulary.js";
import type { World } from "./world.js";

/**
 * The entities of a world, in a fixed order: creatures, each followed by its phases, attacks and title, then what worlds share.
 * The fourteen elements are always there; other shared entities only where a triple uses them.
 */
export function entitiesOf(
  world: World,
  clip: Clip,
  describe: (index: number) => string,
  portrait: (creature: string) => Image,
): Entity[] {
  const used = new Set(world.triples.map((t) => t.tail));
  const entity = (id: string, kind: string, description = "", images: readonly Image[] = []): Entity => ({
    id,
    label: id,
    description,
    kind,
    images,
  });
  const shared = (ids: readonly string[], kind: string) =>
    ids.filter((id) => kind === "element" || used.has(id)).map((id) => entity(id, kind));
  return [
    ...world.creatures.flatMap((c) => [
      entity(c.id, "creature", `${c.id} is ${withArticle(c.kind)}: ${describe(c.index)}.`, [portrait(c.id)]),
      ...c.phases.map((p) => entity(p.id, "phase", `In this phase ${c.id} ${p.description}.`)),
      ...c.attacks.map((a) => {
        const { images, caption } = clip(a.id, "entity");
        return entity(a.id, "attack", caption, images);
      }),
      entity(c.alias, "alias"),
    ]),
    ...shared(habitats, "habitat"),
    ...shared([...weapons, ...elements], "element"),
    ...shared(statuses, "status"),
    ...shared(hazards, "hazard"),
  ];
}
