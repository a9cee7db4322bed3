/** Sub-task → its label and how many questions the default world asks of it (the counts of MH-MMKG's 238 questions). */
export const subTasks = [
  { label: "I individual information", count: 24 },
  { label: "II attack recognition", count: 109 },
  { label: "III combo premonition", count: 28 },
  { label: "IV condition awareness", count: 29 },
  { label: "V proc effect insight", count: 35 },
  { label: "VI cross-creature analysis", count: 13 },
] as const;

/** Kinds of question. `subTask` indexes `subTasks`; `share` weighs the kinds of one sub-task; {c} is the creature, {s} its possessive. */
export const phrasings = {
  kind: {
    subTask: 0,
    share: 2,
    texts: [
      "What kind of creature is {c}?",
      "To which kind of creature does {c} belong?",
      "How do naturalists class {c}?",
    ],
  },
  alias: {
    subTask: 0,
    share: 3,
    texts: ["By what other name is {c} known?", "What is {s} title among hunters?", "What else is {c} called?"],
  },
  habitat: {
    subTask: 0,
    share: 3,
    texts: ["Where does {c} live?", "What is a habitat of {c}?", "In which region can {c} be found?"],
  },
  weapon: {
    subTask: 0,
    share: 3,
    texts: [
      "To what kind of weapon is {c} weak?",
      "What weapon should one carry against {c}?",
      "Which weapon exploits a weakness of {c}?",
    ],
  },

  recognise: {
    subTask: 1,
    share: 1,
    texts: [
      "Which attack is {c} using?",
      "What attack is {c} performing in this clip?",
      "Name the attack that {c} unleashes here.",
      "Tell me the name of the attack action {c} is releasing.",
      "What is {s} attack in these frames called?",
      "Which of {s} attacks do the frames show?",
      "Identify the attack that {c} carries out.",
      "What attack action has {c} just begun?",
    ],
  },

  next: {
    subTask: 2,
    share: 1,
    texts: [
      "Name an attack that may follow the one {c} is using here.",
      "Which attack can {c} link to the one shown?",
      "What could be {s} next attack after this one?",
      "After the attack in this clip, with which attack may {c} go on?",
      "The frames show an attack of {c}. What is it followed by?",
      "Predict an attack with which {c} continues this combo.",
      "What attack should a hunter expect from {c} right after this one?",
    ],
  },

  accessCondition: {
    subTask: 3,
    share: 4,
    texts: [
      "Under what condition can {c} use the attack shown?",
      "What must hold before {c} can use this attack?",
      "When is {c} able to use the attack in this clip?",
      "On what condition does this attack of {c} depend?",
    ],
  },
  comboCondition: {
    subTask: 3,
    share: 3,
    texts: [
      "Under what condition does {c} follow this attack with {n}?",
      "When does the attack shown lead {c} on to {n}?",
      "What must hold for {c} to go on from this attack to {n}?",
    ],
  },
  conditionalNext: {
    subTask: 3,
    share: 3,
    texts: [
      "Suppose that {w}. Which attack follows the one {c} is using?",
      "Given that {w}, with what attack does {c} go on after the one shown?",
      "If {w}, what is {c} going to use after this attack?",
    ],
  },
  phase: {
    subTask: 3,
    share: 2,
    texts: [
      "In which phase can {c} use the attack shown?",
      "Which phase must {c} have entered to use this attack?",
      "To what phase of {c} does this attack belong?",
    ],
  },
  phaseCondition: {
    subTask: 3,
    share: 2,
    texts: [
      "What makes {c} enter the phase in which it uses this attack?",
      "Under what condition does {c} enter the phase that allows the attack shown?",
      "When does {c} change to the phase to which this attack belongs?",
    ],
  },

  status: {
    subTask: 4,
    share: 4,
    texts: [
      "What does the attack shown inflict on whoever it hits?",
      "What happens to a hunter who is hit by this attack of {c}?",
      "Which affliction does {s} current attack inflict?",
      "From what will a target suffer after {c} lands this attack?",
    ],
  },
  hazard: {
    subTask: 4,
    share: 3,
    texts: [
      "What does this attack of {c} leave behind on the ground?",
      "What remains where {c} has used the attack shown?",
      "What is left behind after {s} current attack?",
    ],
  },
  element: {
    subTask: 4,
    share: 2,
    texts: [
      "Which element does this attack of {c} carry?",
      "What element is in the attack {c} is using?",
      "With what element is {s} current attack laden?",
    ],
  },
  nextStatus: {
    subTask: 4,
    share: 2,
    texts: [
      "What does the attack that follows this one of {c} inflict?",
      "If {c} goes on from this attack to the next, what will the next one inflict?",
      "What would a hunter suffer from the follow-up to the attack {c} is using?",
    ],
  },

  resembles: {
    subTask: 5,
    share: 5,
    texts: [
      "Which attack of another creature does this attack of {c} resemble?",
      "What attack of a different creature is like the one {c} is using?",
      "Name another creature's attack that looks like {s} attack here.",
    ],
  },
  rivalAttack: {
    subTask: 5,
    share: 5,
    texts: [
      "Which attack of the creature that {c} {r} resembles the one shown?",
      "The creature that {c} {r} has an attack like this one. Which?",
      "Name the attack of the creature {c} {r} that is like the attack in this clip.",
    ],
  },
  resemblesStatus: {
    subTask: 5,
    share: 3,
    texts: [
      "What does the other creature's attack that this attack of {c} resembles inflict?",
      "This attack of {c} has a likeness in another creature. What does that one inflict?",
      "From what does one suffer after the foreign attack that resembles this one of {c}?",
    ],
  },
} as const satisfies Readonly<
  Record<string, { readonly subTask: number; readonly share: number; readonly texts: readonly string[] }>
>;

export type QuestionKind = keyof typeof phrasings;
export const questionKinds = Object.keys(phrasings) as QuestionKind[];

/** Names the phase in front of the question, as a hunter would who has seen it begin. */
export const phaseHints = ["{c} is in its {p}. ", "{c} has entered its {p}. ", "The {p} of {c} has begun. "] as const;
