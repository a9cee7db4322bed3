import { type Dataset, defineDataset } from "../../lib/datasets/index.js";
import { graphFrom } from "../../lib/graph/index.js";

const creatures = ["Amru", "Belo", "Cora", "Dilk", "Enso", "Fary"];
const places = ["swamp", "desert", "forest", "tundra"];
const attacks = ["bite", "spin", "roar", "leap"];

/** An invented data set small enough for hand checks: 6 creatures (clusters), 4 places each with its own attack, 24 questions with one gold path. */
export function tiny({ withAnswers = true, withGold = true } = {}): Dataset {
  const entities = creatures.flatMap((creature) => [
    { id: creature, label: creature, kind: "creature" },
    ...attacks.map((attack) => ({ id: `${creature} ${attack}`, label: `${creature} ${attack}`, kind: "attack" })),
  ]);
  const triples = creatures.flatMap((creature) =>
    attacks.map((attack, i) => ({
      id: `${creature}-${i}`,
      head: creature,
      relation: `in the ${places[i]} uses`,
      tail: `${creature} ${attack}`,
    })),
  );
  return defineDataset({
    name: "tiny",
    graph: graphFrom({ entities, triples, name: "tiny" }),
    clusterName: "creature",
    questions: creatures.flatMap((creature) =>
      places.map((place, i) => ({
        id: `${creature}.${i}`,
        text: `What does ${creature} do in the ${place}?`,
        group: place,
        cluster: creature,
        ...(withAnswers ? { answers: [attacks[i] as string, `${creature} ${attacks[i]}`] } : {}),
        ...(withGold
          ? {
              gold: {
                paths: [[creature, `${creature} ${attacks[i]}`]],
                pathTriples: [[`${creature}-${i}`]],
                triples: [`${creature}-${i}`],
              },
            }
          : {}),
      })),
    ),
  });
}
