"""The routes under `/memory`: what their owner sees of a memory, corrects, and takes along."""
