// Under CI property tests draw the same cases in every run, so that a run is a statement about the commit; elsewhere each run draws new ones.
import { configureGlobal } from "fast-check";

if (process.env.CI) configureGlobal({ seed: 20_261_201 });
